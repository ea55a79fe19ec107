def reward_function(params):
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
