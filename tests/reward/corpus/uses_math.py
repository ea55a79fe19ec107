import math


def reward_function(params):
    waypoints = params['waypoints']
    behind, ahead = params['closest_waypoints']
    road = math.degrees(math.atan2(waypoints[ahead][1] - waypoints[behind][1],
                                   waypoints[ahead][0] - waypoints[behind][0]))
    error = abs(road - params['heading'])
    if error > 180:
        error = 360 - error
    return float(params['speed'] * max(0.0, math.cos(math.radians(error))))
