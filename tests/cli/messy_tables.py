"""Five tables as they come from offices, and the second command that fits each of them.

Every table depends on what a reader expects it to; the rest is what makes people give up.
"""

import csv
import io
from datetime import datetime, timedelta

import numpy as np


def german(folder):
    """Flats: semicolons, decimal comma, points between thousands, k.A., day.month.year, cp1252."""
    rng = np.random.default_rng(1)
    n = 80
    area, rooms = rng.uniform(25, 180, n), rng.integers(1, 7, n)
    price = 40_000 + 3_900 * area + 8_000 * rooms + rng.normal(0, 9_000, n)
    lines = ["Objekt;Wohnfläche (m²);Zimmer;Kaufpreis;Baujahr;Straße;verkauft am;"]
    for i in range(n):
        size = f"{area[i]:.2f}".replace(".", ",") if i % 17 else "k.A."
        cost = f"{price[i]:,.2f}".translate(str.maketrans(",.", ".,"))
        if i in (5, 41):
            cost = ""
        day = datetime(2021, 1, 4) + timedelta(days=int(rng.integers(0, 900)))
        year = str(rng.integers(1900, 2020)) if i % 9 else "-"
        street = ["Hauptstraße", "Gartenweg", "Am Markt"][i % 3]
        lines.append(f"A-{i:04d};{size};{rooms[i]};{cost};{year};{street};{day:%d.%m.%Y};")
    lines += [";;;;;;;", ";;;;;;;"]
    file = folder / "wohnungen.csv"
    file.write_bytes("\r\n".join([*lines, ""]).encode("cp1252"))
    return file


def french(folder):
    """Shops: a title, tabs, decimal comma, narrow spaces between thousands, euro signs, UTF-16."""
    rng = np.random.default_rng(2)
    n = 60
    area, visits = rng.uniform(30, 400, n), rng.integers(900, 99_000, n)
    sales = 12_000 + 310 * area + 1.7 * visits + rng.normal(0, 4_000, n)

    def spelt(value, digits=2):
        text = f"{value:,.{digits}f}".replace(",", "\N{NARROW NO-BREAK SPACE}")
        return text.replace(".", ",")

    rows = [["Chiffre d'affaires par magasin, exercice 2024"], []]
    rows.append(
        ["Magasin", "Surface (m²)", "Visites", "Part réservée", "Région", "Chiffre d'affaires"]
    )
    for i in range(n):
        part = f"{rng.uniform(1, 30):.1f}".replace(".", ",") + " %"
        region = ["Île-de-France", "Bretagne", "", "Alsace"][i % 4]
        rows.append(
            [f"magasin {i + 1}", spelt(area[i], 1), spelt(visits[i], 0), part, region,
             spelt(sales[i]) + " €"]
        )  # fmt: skip
    text = io.StringIO()
    csv.writer(text, delimiter="\t").writerows(rows)
    file = folder / "magasins.txt"
    file.write_text(text.getvalue(), encoding="utf-16", newline="")
    return file


def american(folder):
    """Orders: dollars with commas and brackets, percent, month/day/year, N/A and #DIV/0!, a BOM."""
    rng = np.random.default_rng(3)
    n = 90
    units, discount = rng.integers(1, 400, n), rng.uniform(0, 40, n)
    margin = 15.0 * units - 22.0 * discount + rng.normal(0, 120, n)

    def dollars(value):
        text = f"${abs(value):,.2f}"
        return f"({text})" if value < 0 else text

    rows = [["Order #", "Order Date", "Units", "Discount", "Unit Cost", "Segment", "Margin"]]
    for i in range(n):
        day = datetime(2024, 1, 1) + timedelta(days=int(rng.integers(0, 365)))
        cost = dollars(rng.uniform(800, 1_900)) if i % 20 else "#DIV/0!"
        rows.append(
            [f"US-{10_000 + i}", f"{day.month}/{day.day}/{day.year}", str(units[i]),
             f"{discount[i]:.1f}%", cost, ["Consumer", "Corporate", "N/A"][i % 3],
             dollars(margin[i])]
        )  # fmt: skip
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    file = folder / "orders.csv"
    file.write_text(text.getvalue(), encoding="utf-8-sig", newline="")
    return file


def excel(folder):
    """Wells: two sheets, a title, an empty column, typed dates, numbers kept as text, a source."""
    import openpyxl

    rng = np.random.default_rng(4)
    n = 70
    depth, flow = rng.uniform(5, 90, n), rng.uniform(0.2, 9, n)
    iron = 0.4 + 0.03 * depth - 0.12 * flow + rng.normal(0, 0.1, n)
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "wells"
    sheet.append(["Groundwater survey 2023"])
    sheet.append([])
    sheet.append(["well", "sampled", "depth", "flow", None, "aquifer", "iron"])
    for i in range(n):
        day = datetime(2023, 3, 1) + timedelta(days=i)
        shown = f"{flow[i]:.2f}".replace(".", ",") if i % 7 == 0 else float(flow[i])
        sheet.append(
            [f"W{i:03d}", day, float(depth[i]) if i % 23 else None, shown, None,
             ["upper", "lower"][i % 2], float(iron[i]) if i != 33 else "< 0.1"]
        )  # fmt: skip
    sheet.append(["Source: county office"])
    book.create_sheet("notes").append(["nothing here"])
    book.save(folder / "wells.xlsx")
    return folder / "wells.xlsx"


def survey(folder):
    """A questionnaire: codes in words and in numbers, 'refused', an id, remarks."""
    rng = np.random.default_rng(5)
    n = 120
    trust, age = rng.integers(0, 4, n), rng.integers(18, 90, n)
    party = rng.integers(1, 5, n)
    score = 2.0 * trust + 0.03 * age + np.where(party == 2, 1.5, 0.0) + rng.normal(0, 0.4, n)
    words = ["not at all", "a little", "much", "very much"]
    rows = [["respondent", "trust", "age", "party code", "remark", "satisfaction"]]
    for i in range(n):
        rows.append(
            [f"R{i:03d}", words[trust[i]] if i % 11 else "", age[i] if i % 13 else "refused",
             party[i], f"said {i} things, and more", f"{score[i]:.2f}" if i % 29 else "don't know"]
        )  # fmt: skip
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    file = folder / "survey.csv"
    file.write_text(text.getvalue(), encoding="utf-8", newline="")
    return file


#: Table, target, columns that the fit should find.
MESSY = {
    "german": (german, "Kaufpreis", {"Wohnfläche (m²)"}),
    "french": (french, "Chiffre d'affaires", {"Surface (m²)", "Visites"}),
    "american": (american, "Margin", {"Units", "Discount"}),
    "excel": (excel, "iron", {"depth", "flow"}),
    "survey": (survey, "satisfaction", {"age", "trust=very much"}),
}
