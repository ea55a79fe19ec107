"""Follow the centre line without zig-zag: the console's third example.

Teaches: taking something away where the wheel is turned far. `steering_angle` is what the action
asks for, in degrees, left positive. A factor keeps the sign of the reward; the speed beside it keeps
creeping from being the best plan.
"""

MAX_CALM_DEGREES = 15.0


def reward_function(params):
    half = 0.5 * params["track_width"]
    near = max(0.001, 1.0 - params["distance_from_center"] / half)
    calm = 1.0 if abs(params["steering_angle"]) <= MAX_CALM_DEGREES else 0.8
    return near * calm * params["speed"]
