import math


def reward_function(params):
    for heading in params['objects_heading']:
        math.sin(math.radians(heading))
    turns = [math.radians(params['objects_heading'][0])] if params['objects_heading'] else []
    return params['speed'] + 0.0 * len(turns)
