def reward_function(params):
	speed = params['speed']
        return speed
