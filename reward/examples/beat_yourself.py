"""Beat your own best time to each tenth of the lap.

Teaches: a class with state. One object lives as long as the training, so it can remember more than
the step before: here the fastest time to each part of the lap. `steps` is 2 in the first call of an
episode, which is how the object notices a new one. Every car has a copy of this file of its own, and
so a record of its own.
"""

PARTS = 10
PARTS_OF_PERCENT = PARTS / 100.0


class Record:
    """The fastest number of steps to each part of the lap, and this episode's way so far."""

    def __init__(self):
        self.best = [None] * (PARTS + 1)
        self.start_episode()

    def start_episode(self):
        self.last_progress = 0.0
        self.part = 0

    def judge(self, steps, progress):
        """Reward for the way made, and a bonus for each part that was reached sooner than ever."""
        gained = progress - self.last_progress
        self.last_progress = progress
        bonus = 0.0
        while self.part < int(progress * PARTS_OF_PERCENT):
            self.part += 1
            best = self.best[self.part]
            if best is None or steps < best:
                self.best[self.part] = steps
                bonus += 1.0
        return max(-1.0, min(5.0, gained)) + bonus


RECORD = Record()


def reward_function(params):
    if params["steps"] <= 2 or params["progress"] < RECORD.last_progress - 50:  # or a new lap
        RECORD.start_episode()
    if params["is_offtrack"]:
        return -5.0
    return RECORD.judge(params["steps"], params["progress"])
