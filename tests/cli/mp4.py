"""Reads what an .mp4 file says of itself (ISO/IEC 14496-12): another reader than the one that wrote it."""

import struct

CONTAINERS = {b"moov", b"trak", b"mdia", b"minf", b"stbl"}


def boxes(data):
    """(kind, content) of each box, those within containers too."""
    position = 0
    while position + 8 <= len(data):
        size, kind = struct.unpack(">I4s", data[position:position + 8])
        header = 8
        if size == 1:
            size = struct.unpack(">Q", data[position + 8:position + 16])[0]
            header = 16
        if size < header or position + size > len(data):
            raise ValueError(f"box {kind} of {size} bytes does not fit")
        content = data[position + header:position + size]
        yield kind, content
        if kind in CONTAINERS:
            yield from boxes(content)
        position += size


def describe(data):
    """Codec, width, height, number of frames and frames a second of the first track."""
    found = {}
    for kind, content in boxes(data):
        found.setdefault(kind, content)
    entry = found[b"stsd"][8:]
    time_scale = struct.unpack(">I", found[b"mdhd"][12:16])[0]
    num_runs = struct.unpack(">I", found[b"stts"][4:8])[0]
    runs = [struct.unpack(">II", found[b"stts"][8 + 8 * i:16 + 8 * i]) for i in range(num_runs)]
    num_frames = sum(count for count, _ in runs)
    return {
        "codec": entry[4:8].decode(),
        "width": struct.unpack(">H", entry[32:34])[0],
        "height": struct.unpack(">H", entry[34:36])[0],
        "frames": num_frames,
        "fps": num_frames * time_scale / sum(count * delta for count, delta in runs),
    }
