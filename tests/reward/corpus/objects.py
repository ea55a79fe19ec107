def reward_function(params):
    if not params['objects_distance']:
        return params['speed']
    ahead = params['closest_objects'][1]
    gap = (params['objects_distance'][ahead] - params['projection_distance'])
    return min(1.0, gap % params['track_length']) * params['speed']
