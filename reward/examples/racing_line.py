"""Follow a racing line, as fast as the line allows.

Teaches: a line of your own. These rows are every fifth one of `lapforge track raceline oval --out
line.csv`: x, y and the speed there. Train with `--track oval`; for another track replace the rows.
The nearest stretch of the line counts, not the nearest point: points half a metre apart would pay
for the places between them less.
"""

import math

LINE = [
    (0.00, 0.16, 4.0), (0.45, 0.16, 4.0), (0.89, 0.16, 4.0), (1.25, 0.16, 4.0), (1.69, 0.16, 4.0),
    (2.15, 0.23, 4.0), (2.59, 0.45, 3.9), (2.93, 0.75, 3.6), (3.12, 1.06, 3.4), (3.21, 1.49, 3.3),
    (3.14, 1.92, 3.4), (2.90, 2.30, 3.7), (2.55, 2.61, 3.9), (2.20, 2.78, 4.0), (1.74, 2.86, 4.0),
    (1.29, 2.86, 4.0), (0.85, 2.86, 4.0), (0.40, 2.85, 4.0), (0.04, 2.85, 4.0), (-0.40, 2.85, 4.0),
    (-0.85, 2.86, 4.0), (-1.29, 2.86, 4.0), (-1.74, 2.86, 4.0), (-2.19, 2.77, 4.0),
    (-2.55, 2.60, 3.9), (-2.90, 2.30, 3.6), (-3.14, 1.92, 3.4), (-3.21, 1.49, 3.3),
    (-3.12, 1.06, 3.4), (-2.93, 0.75, 3.6), (-2.59, 0.44, 3.9), (-2.15, 0.23, 4.0),
    (-1.69, 0.16, 4.0), (-1.25, 0.16, 4.0), (-0.89, 0.16, 4.0), (-0.45, 0.16, 4.0),
]
REACH_M = 0.4  # from the line; beyond it nothing is paid


def distance_and_speed(x, y):
    """Of the nearest stretch of the line."""
    nearest = (math.inf, 0.0)
    for (ax, ay, speed), (bx, by, _) in zip(LINE, LINE[1:] + LINE[:1]):
        dx, dy = bx - ax, by - ay
        share = ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy)
        share = min(1.0, max(0.0, share))
        distance = math.hypot(x - ax - share * dx, y - ay - share * dy)
        nearest = min(nearest, (distance, speed))
    return nearest


def reward_function(params):
    if params["is_offtrack"]:
        return -1.0
    distance, line_speed = distance_and_speed(params["x"], params["y"])
    near = max(0.0, 1.0 - distance / REACH_M)
    return near * min(params["speed"], line_speed)
