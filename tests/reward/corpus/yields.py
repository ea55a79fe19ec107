def reward_function(params):
    yield params['speed']
