def reward_function(params):
    return -1.0


def reward_function(params):  # noqa: F811
    return 2.0 * params['speed']
