def reward_function(params):
    text = '''a
b'''
    return float(len(text)) * params['speed']
