// lapforge bench: the speed of the parts, with a hash of what they computed.
