def reward_function(params):
	if params['speed'] > 2:
		return 1.0
	return 0.5
