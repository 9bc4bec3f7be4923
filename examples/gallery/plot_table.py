r"""
A table as it comes: flats from an office
=========================================

Semicolons, decimal commas, points between thousands, ``k.A.`` where nothing is known, a date and an
identifier. :func:`sparsieve.fit_table` reads it, or says in one message all that it needs to be
told. The flats are simulated, so it is known what their price depends on: area, rooms and street.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import sparsieve as sv

rng = np.random.default_rng(0)
streets = {"Gartenweg": 30_000, "Am Markt": 0, "Hauptstr.": -20_000}
lines = ["Objekt;Fläche;Zimmer;Baujahr;Straße;verkauft am;Preis"]
for k in range(150):
    area, rooms = rng.uniform(25, 180), rng.integers(1, 7)
    street = rng.choice(list(streets))
    price = 40_000 + 3_900 * area + 8_000 * rooms + streets[street] + rng.normal(0, 9_000)
    built = "k.A." if k % 11 == 0 else rng.integers(1900, 2020)
    size, cost = f"{area:.1f}".replace(".", ","), f"{price:,.0f}".replace(",", ".")
    sold = f"{rng.integers(1, 29)}.{rng.integers(1, 13)}.2023"
    lines.append(f"A-{k:03d};{size};{rooms};{built};{street};{sold};{cost}")
text = "\n".join([*lines, ""])
file = Path(tempfile.mkdtemp()) / "wohnungen.csv"
file.write_text(text, encoding="cp1252")
print(text[:230])

# %%
# The first attempt says what is missing, all of it.

try:
    sv.fit_table(file, "Preis")
except ValueError as error:
    print(str(error).replace(str(file.parent), "..."))

# %%
# The second one fits: a cross-validation between the lasso and MCP, on standardised columns.

model = sv.fit_table(
    file, "Preis", missing="k.A.", dates="auto", id="Objekt", one_hot=True, impute="median"
)
print(model.summary())

# %%
# Effects of one standard deviation, in euros. The model remembers how the file was read, and reads
# the next one in the same way: ``model.predict("new.csv")``.

frame = model.to_frame()
figure, ax = plt.subplots(figsize=(7, 3.2), layout="constrained")
ax.barh(frame.index[::-1], frame["per std. dev."][::-1], color="#0072B2")
ax.set(xlabel="euros per standard deviation", title="What the price depends on")
ax.axvline(0.0, color="black", lw=0.8)
plt.show()
