"""Small tables for the tests of the command line, and what only `make test-all` runs."""

import csv

import numpy as np
import pytest


def write_csv(file, columns, **options):
    """Write a dict of columns as CSV."""
    with file.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, **options)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return file


def house_columns(n=60, seed=0):
    """Return a table in which the price depends on area and rooms, and not on the colour."""
    rng = np.random.default_rng(seed)
    area, rooms, age = rng.uniform(40, 200, n), rng.integers(1, 7, n), rng.uniform(0, 90, n)
    price = 50 + 2.5 * area + 12 * rooms + rng.normal(0, 5, n)
    return {
        "area": area.round(2).tolist(),
        "rooms": rooms.tolist(),
        "age": age.round(1).tolist(),
        "noise": rng.normal(size=n).tolist(),
        "price": price.round(3).tolist(),
    }


def dirty_columns():
    """Return a table with text, holes, a constant column and a repeated one."""
    columns = house_columns()
    n = len(columns["price"])
    city = [["Paris", "Lyon", "Nice, Côte d'Azur"][i % 3 if i % 5 else 0] for i in range(n)]
    columns["price"] = [
        value + {"P": 0, "L": 40, "N": 90}[name[0]]
        for value, name in zip(columns["price"], city, strict=True)
    ]
    columns["city"] = ["" if i == 7 else name for i, name in enumerate(city)]
    columns["area"] = ["NA" if i in (3, 11) else value for i, value in enumerate(columns["area"])]
    columns["fixed"] = [1] * n
    columns["rooms again"] = columns["rooms"]
    return columns


def slow(*values):
    """Return parameters that show the same as the others in another way."""
    return [pytest.param(value, marks=pytest.mark.slow) for value in values]
