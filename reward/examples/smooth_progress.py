"""Get ahead, with a calm wheel.

Teaches: paying for progress made in a step makes speed worth it by itself; a global remembers the
step before. Every car runs its own copy of this file, so globals are about one car; `steps` is 2 in
the first call of an episode.
"""

STEERING_WEIGHT = 0.01  # per degree of change

last_progress = 0.0
last_angle = 0.0


def reward_function(params):
    global last_progress, last_angle
    if params["steps"] <= 2:
        last_progress, last_angle = params["progress"], 0.0

    gained = params["progress"] - last_progress  # percent of the lap
    turned = abs(params["steering_angle"] - last_angle)
    last_progress, last_angle = params["progress"], params["steering_angle"]

    if params["is_offtrack"]:
        return -5.0
    if gained < -50:  # a new lap: progress went from 100 back to 0
        gained += 100
    return gained - STEERING_WEIGHT * turned
