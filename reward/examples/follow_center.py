"""Follow the centre line: the console's first example, and this folder's.

Teaches: the simplest reward there is, one of a few fixed values by distance. The car learns to stay
on the road within seconds, and then creeps: nothing here pays for speed, so the longer a lap takes
the more it earns. `lapforge reward check` says so.
"""

BANDS = [(0.1, 1.0), (0.25, 0.5), (0.5, 0.1)]  # share of the road's width, reward up to there


def reward_function(params):
    share = params["distance_from_center"] / params["track_width"]
    for limit, reward in BANDS:
        if share <= limit:
            return reward
    return 0.001
