"""Decodes what the library writes for Perfetto, by the wire format of protobuf alone, and compares its slices
with the JSON lines of the same timeline: perfetto_test.py PROGRAM."""

import json
import os
import subprocess
import sys
import tempfile


def varint(data, at):
    value, shift = 0, 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def fields(data):
    """A message as (number, value) pairs; nested messages and texts are bytes."""
    at, found = 0, []
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 2:
            length, at = varint(data, at)
            value = data[at : at + length]
            assert len(value) == length, "a message is cut off"
            at += length
        else:
            raise AssertionError(f"wire type {kind}")
        found.append((key >> 3, value))
    return found


def first(message, number, default=None):
    return next((value for key, value in message if key == number), default)


def slices_of(trace):
    """As (group, rank, kind, name, begin, end, peer, bytes, number), in the order of their beginnings."""
    tracks, open_slices, slices = {}, {}, []
    for number, packet in fields(trace):
        assert number == 1
        packet = fields(packet)
        assert first(packet, 10) == 1, "packets without a sequence are dropped"
        descriptor, event = first(packet, 60), first(packet, 11)
        if descriptor is not None:
            descriptor = fields(descriptor)
            assert first(descriptor, 1) not in tracks
            tracks[first(descriptor, 1)] = (first(descriptor, 2).decode(), first(descriptor, 5))
            continue
        event = fields(event)
        time, track = first(packet, 8), first(event, 11)
        stack = open_slices.setdefault(track, [])
        if first(event, 9) == 2:
            stack.pop()["end"] = time
            continue
        assert first(event, 9) == 1
        member, parent = tracks[track]
        notes = {}
        for key, note in event:
            if key == 4:
                note = fields(note)
                notes[first(note, 10).decode()] = first(note, 3)
        kind = first(event, 22).decode()
        depth = 0 if "request" in first(event, 23).decode() else {"step": 1, "wait": 2}.get(kind, 0)
        assert len(stack) == depth, f"{kind} in {len(stack)} others"
        assert member.endswith(", in flight") == (kind in ("started", "prepared")), f"{kind} on the track {member}"
        made = {
            "group": tracks[parent][0],
            "rank": int(member.split(",")[0].removeprefix("member ")),
            "kind": kind,
            "name": first(event, 23).decode(),
            "begin": time,
            "peer": notes.get("peer"),
            "bytes": notes.get("bytes", 0),
            "number": notes["number"],
        }
        assert not stack or stack[-1]["begin"] <= time
        stack.append(made)
        slices.append(made)
    assert all(not stack for stack in open_slices.values()), "a slice has no end"
    return tracks, slices


def main():
    with tempfile.TemporaryDirectory() as folder:
        names = [os.path.join(folder, name) for name in ("trace.jsonl", "trace.pftrace")]
        subprocess.run([sys.argv[1], *names], check=True)
        with open(names[0], encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        with open(names[1], "rb") as file:
            tracks, slices = slices_of(file.read())
    assert len(lines) == 15
    assert ("group 2 of 70000 members", None) in tracks.values()
    assert "member 0, thread 4711" in [name for name, _ in tracks.values()]
    wanted = [
        {
            "group": line["group"],
            "rank": line["rank"],
            "kind": line["kind"],
            "name": line["name"] + (f" for {line['peer']}" if line["kind"] == "wait" and line["peer"] is not None else ""),
            "begin": line["begin_ns"],
            "peer": line["peer"],
            "bytes": line["bytes"],
            "number": line["number"],
            "end": line["end_ns"],
        }
        for line in lines
    ]
    key = lambda made: (made["group"], made["rank"], made["begin"], -made["end"], made["kind"], made["number"])
    assert sorted(slices, key=key) == sorted(wanted, key=key), f"\n{slices}\n{wanted}"
    flights = [name for name, _ in tracks.values() if name.endswith(", in flight")]
    assert flights == ["member 0, in flight"] * 3, flights


main()
