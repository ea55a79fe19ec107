def reward_function(params):
    params['speed'] *= 0.5
    params['mine'] = 1
    del params['steps']
    params['closest_waypoints'].reverse()
    return params['speed']
