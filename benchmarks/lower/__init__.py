"""Who finds the lower objective: our starts and minima beside other solvers' points."""
