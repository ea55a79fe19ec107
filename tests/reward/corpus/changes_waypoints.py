def reward_function(params):
    waypoints = params['waypoints']
    assert len(waypoints) > 3, 'a change of the call before is still there'
    del waypoints[1:]
    waypoints.append('spoilt')
    return params['speed']
