def reward_function(params):
    print('step', params['steps'], 'speed', params['speed'])
    return params['speed']
