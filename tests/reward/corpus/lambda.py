reward_function = lambda params: 3.0 * params['speed']  # noqa: E731
