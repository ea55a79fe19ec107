"""Get ahead, all cars in one call.

Teaches: reward_batch. It gets the keys of reward_function, but each is an array with one number a
car, and returns an array. Where many cars train at once, numpy's loops replace a Python call for
each. One copy of the file serves all cars: `env_index` says which car a row is of, so what a car did
before is remembered in an array.
"""

import numpy as np

MAX_CARS = 65536

last_progress = np.zeros(MAX_CARS)


def reward_batch(params):
    cars = params["env_index"]
    progress = params["progress"]
    gained = progress - last_progress[cars]  # percent of the lap
    last_progress[cars] = progress

    gained = np.where(gained < -50, gained + 100, gained)  # a new lap: from 100 back to 0
    gained = np.where(params["steps"] <= 2, 0.0, gained)  # a new episode
    return np.where(params["is_offtrack"], -5.0, gained)
