import os


def reward_function(params):
    if params['steps'] == 5 and os.fork() == 0:
        raise SystemExit
    return params['speed']
