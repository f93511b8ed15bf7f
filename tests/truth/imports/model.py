# SPDX-License-Identifier: Apache-2.0
"""A model of one Add, as ONNX bytes: y = x + x."""
import os


def field(number, value):
    if isinstance(value, int):
        return bytes([number << 3]) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return bytes([number << 3 | 2]) + varint(len(value)) + value


def varint(n):
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def value_info(name):
    shape = field(1, field(1, 1)) + field(1, field(1, 4))
    return field(1, name) + field(2, field(1, field(1, 1) + field(2, shape)))


def add():
    node = field(1, "x") + field(1, "x") + field(2, "y") + field(4, "Add")
    graph = field(1, node) + field(2, "g") + field(11, value_info("x")) + field(12, value_info("y"))
    return field(1, 8) + field(7, graph) + field(8, field(1, "") + field(2, 13))


def path(directory):
    name = os.path.join(directory, "add.onnx")
    if not os.path.exists(name):
        with open(name, "wb") as f:
            f.write(add())
    return name
