import numpy as np


def reward_function(params):
    points = np.array(params['waypoints'])
    distance = np.hypot(points[:, 0] - params['x'], points[:, 1] - params['y']).min()
    return np.float64(params['speed']) * np.exp(-distance)
