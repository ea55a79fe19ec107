calls = 0
last_progress = 0.0


def reward_function(params):
    global calls, last_progress
    calls += 1
    gained = params['progress'] - last_progress
    last_progress = params['progress']
    if params['steps'] <= 2 or abs(gained) > 50:
        gained = 0.0
    assert calls >= params['steps'] - 1
    return gained
