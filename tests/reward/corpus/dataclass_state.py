from dataclasses import dataclass, field


@dataclass
class Memory:
    speeds: list = field(default_factory=list)

    def mean(self, speed):
        self.speeds = self.speeds[-4:] + [speed]
        return sum(self.speeds) / len(self.speeds)


MEMORY = Memory()


def reward_function(params):
    return MEMORY.mean(params['speed'])
