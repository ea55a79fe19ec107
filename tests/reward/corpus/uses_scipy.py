from scipy.spatial import cKDTree

TREE = None


def reward_function(params):
    global TREE
    if TREE is None:
        TREE = cKDTree(params['waypoints'])
    distance, _ = TREE.query((params['x'], params['y']))
    return params['speed'] * max(0.0, 1.0 - distance)
