"""The params of spec/deepracer.md 1.1 to 1.3 once more, in plain Python: a reward function that fails
where the program gives other values. `borders.json` beside it holds the track's file: center, inner
and outer, each a list of [x, y]."""

import bisect
import json
import math
import os

with open(os.path.join(os.path.dirname(__file__), "borders.json"), encoding="utf-8") as _file:
    ROWS = json.load(_file)


def project(point, line):
    """Nearest point of a line, its way along it, and the line's length; the first of equals."""
    nearest, along, length = None, 0.0, 0.0
    for (ax, ay), (bx, by) in zip(line, line[1:]):
        dx, dy = bx - ax, by - ay
        segment = math.hypot(dx, dy)
        share = ((point[0] - ax) * dx + (point[1] - ay) * dy) / (segment * segment)
        share = min(1.0, max(0.0, share))
        place = (ax + share * dx, ay + share * dy)
        distance = math.dist(point, place)
        if nearest is None or distance < nearest[0]:
            nearest, along = (distance, place), length + share * segment
        length += segment
    return nearest[1], along, length


def area(line):
    return 0.5 * sum(ax * by - bx * ay for (ax, ay), (bx, by) in zip(line, line[1:]))


class Model:
    """One direction of the track and the episode of one car."""

    def __init__(self, is_reversed):
        step = -1 if is_reversed else 1
        self.center, self.inner, self.outer = (
            [tuple(row) for row in ROWS[name]][::step] for name in ("center", "inner", "outer"))
        self.length = project((0, 0), self.center)[2]
        self.ndists = [project(vertex, self.center)[1] / self.length
                       for vertex in self.center[:-1]] + [1.0]
        self.is_ccw = (area(self.center[::step]) > 0) != is_reversed
        self.previous = 0.0

    def progress(self, ndist, start_ndist):
        current = 100 * (ndist - start_ndist)
        if current <= 0:
            current += 100
        if self.previous > current + 50:
            current += 100
        if current > self.previous + 50:
            current -= 100
        current = min(current, 100)
        self.previous = 0 if current == 100 else current
        return current

    def closest_waypoints(self, ndist):
        following = bisect.bisect_right(self.ndists, ndist)
        before = following - 1
        if before == -1:
            before = len(self.ndists) - 1
        if following == len(self.ndists):
            following = 0
        return [before, following]


models = {}


def same(key, params, expected):
    error = abs(params[key] - expected)
    assert error < 1e-6, f"{key} is {params[key]}, by the formula {expected}"


def reward_function(params):
    is_reversed = params["is_reversed"]
    if is_reversed not in models:
        models[is_reversed] = Model(is_reversed)
    model = models[is_reversed]
    if params["steps"] == 2.0:
        model.previous = 0.0

    point = (params["x"], params["y"])
    center, along, length = project(point, model.center)
    ndist = along / length
    inner, _, _ = project(center, model.inner)
    outer, _, _ = project(center, model.outer)
    same("track_length", params, length)
    same("projection_distance", params, along)
    same("distance_from_center", params, math.dist(point, center))
    same("track_width", params, math.dist(inner, outer))
    same("progress", params, model.progress(ndist, params["start_distance"] / length))
    assert params["waypoints"] == model.center

    # at a vertex, and in the middle, the last bits decide
    if min(abs(ndist - vertex) for vertex in model.ndists) > 1e-9:
        assert params["closest_waypoints"] == model.closest_waypoints(ndist), ndist
    to_inner, to_outer = math.dist(point, inner), math.dist(point, outer)
    if abs(to_inner - to_outer) > 1e-9:
        assert params["is_left_of_center"] == ((to_inner < to_outer) != (not model.is_ccw))
    return params["progress"]
