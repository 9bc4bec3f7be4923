"""The way to the compiled core: problems, starts, points, paths followed."""
