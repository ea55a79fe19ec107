hoard = []


def reward_function(params):
    while True:
        hoard.append(bytearray(1 << 26))
