def reward_function(params):
    if params['is_offtrack']:
        raise ValueError('off the track')
    return params['speed']
