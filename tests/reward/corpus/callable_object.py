class Reward:
    def __call__(self, params):
        return params['speed']


reward_function = Reward()
