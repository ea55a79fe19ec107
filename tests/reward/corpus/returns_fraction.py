from fractions import Fraction


def reward_function(params):
    return Fraction(1, 3) * round(params['speed'])
