def reward_function(params):
    return '%.3f' % params['speed']
