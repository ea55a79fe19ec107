"""Point where the road goes.

Teaches: waypoints and their indices. The road's direction is that from the waypoint behind the car
to one ahead; angles are compared the short way round. Looking further ahead cuts corners.
"""

import math

LOOK_AHEAD = 3  # waypoints beyond the next


def reward_function(params):
    waypoints = params["waypoints"]
    behind, ahead = params["closest_waypoints"]
    x, y = waypoints[behind]
    next_x, next_y = waypoints[(ahead + LOOK_AHEAD) % len(waypoints)]

    road = math.degrees(math.atan2(next_y - y, next_x - x))
    error = abs(road - params["heading"]) % 360
    error = min(error, 360 - error)
    return params["speed"] * max(0.0, 1.0 - error / 45.0)
