def reward_function(params):
    return params['speed'] if params['is_offtrack'] else 0.25 * params['speed']
