def reward_function(params):
    import math
    return math.sqrt(params['speed'])
