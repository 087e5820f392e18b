"""Make the tables of the track on data and lines: rents, braking, kiosk and ferry.

All numbers are invented, by a seeded generator. Run it from anywhere:

    python scripts/make_tables.py
"""

from pathlib import Path

import numpy as np

DATA = Path(__file__).parents[1] / "data"


def make_rents() -> list[str]:
    """Return 120 flats; four of them have a gap."""
    rng = np.random.default_rng(11)
    n = 120
    area = rng.gamma(9.0, 7.5, n).round(1) + 12.0
    rooms = np.clip(np.round(area / 27.0 + rng.normal(0.0, 0.4, n)), 1, 6).astype(int)
    age = rng.integers(0, 90, n)
    distance = rng.gamma(2.5, 1.6, n).round(1)
    rent = 210.0 + 8.5 * area + 35.0 * rooms - 1.6 * age - 22.0 * distance + rng.normal(0, 55, n)
    rows = [
        [f"{area[i]:.1f}", f"{rooms[i]}", f"{age[i]}", f"{distance[i]:.1f}", f"{rent[i]:.0f}"]
        for i in range(n)
    ]
    for row, column in ((17, 2), (52, 3), (53, 0), (98, 4)):
        rows[row][column] = ""
    return ["area,rooms,age,distance,rent", *(",".join(row) for row in rows)]


def make_braking() -> list[str]:
    """Return the stopping distances of 40 cars: the reaction of the driver, then the brakes."""
    rng = np.random.default_rng(12)
    speed = rng.integers(20, 131, 40)
    metres_per_second = speed / 3.6
    distance = 1.0 * metres_per_second + metres_per_second**2 / (2 * 7.5) + rng.normal(0, 5, 40)
    return ["speed,distance", *(f"{s},{d:.1f}" for s, d in zip(speed, distance, strict=True))]


def make_kiosk() -> list[str]:
    """Return a week of a kiosk; only two days are complete."""
    return [
        "open_hours,degrees,umbrellas,ices",
        "8,21.5,0,40",
        "8,,2,31",
        "6,19.0,5,",
        ",24.5,0,66",
        "10,26,0,83",
        "8,23.0,,58",
        ",,,",
        "4,,,12",
    ]


def make_ferry() -> list[str]:
    """Return three trips of a ferry; only the last one is complete."""
    return ["cars,people,wind,minutes", "12,40,,31", ",55,2.5,28", "20,81,4.5,35"]


if __name__ == "__main__":
    makers = {
        "rents": make_rents,
        "braking": make_braking,
        "kiosk": make_kiosk,
        "ferry": make_ferry,
    }
    for name, make in makers.items():
        (DATA / f"{name}.csv").write_text("\n".join(make()) + "\n", encoding="utf-8")
