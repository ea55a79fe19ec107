class Coach:
    """Remembers where the car was."""

    def __init__(self):
        self.last = None

    def judge(self, params):
        last, self.last = self.last, params
        if last is None or params['steps'] <= 2:
            return 0.0
        return ((params['x'] - last['x'])**2 + (params['y'] - last['y'])**2)**0.5


COACH = Coach()


def reward_function(params):
    return COACH.judge(params)
