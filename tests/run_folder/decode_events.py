"""Prints what a TensorBoard event file holds, from the formats' definitions alone.

TFRecord: u64 length, masked CRC-32C of it, the bytes, masked CRC-32C of them. Event: protobuf fields
2 step, 3 file_version, 5 summary {1 value {1 tag, 2 simple_value}}, 7 session_log {1 status}.
"""

import struct
import sys


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def masked(data):
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return value, at


def fields(data):
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        else:
            size = {1: 8, 5: 4}.get(key & 7)
            if size is None:
                size, at = varint(data, at)
            value, at = data[at:at + size], at + size
        yield key >> 3, value


def show(event):
    parts = list(fields(event))
    step = dict(parts).get(2, 0)
    for number, value in parts:
        if number == 3:
            print("version", value.decode())
        elif number == 7:
            print(step, "start" if dict(fields(value)) == {1: 1} else "?")
        elif number == 5:
            for _, entry in fields(value):
                tag = dict(fields(entry))
                number = struct.unpack("<f", tag.get(2, bytes(4)))[0]
                print(step, tag[1].decode(), f"{number:g}")


data = open(sys.argv[1], "rb").read()
at = 0
while at < len(data):
    (length,) = struct.unpack_from("<Q", data, at)
    (length_crc,) = struct.unpack_from("<I", data, at + 8)
    payload = data[at + 12:at + 12 + length]
    (payload_crc,) = struct.unpack_from("<I", data, at + 12 + length)
    assert masked(data[at:at + 8]) == length_crc and masked(payload) == payload_crc, at
    show(payload)
    at += 16 + length
