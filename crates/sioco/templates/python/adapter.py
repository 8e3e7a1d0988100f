"""Connects the tank with sioco: lines of JSON on standard input and output."""
import json
import sys

from tank import Tank


def say(**message):
    print(json.dumps(message), flush=True)


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        say(type="hello", protocol=1, name="tank", order="sut", inputs=["fill", "drain"], outputs=["level", "refused"])
    elif message["type"] == "reset":
        tank = Tank()
        say(type="ready", run=message["run"])
    elif message["type"] == "input":
        say(type="accepted", id=message["id"])
        act = tank.fill if message["gate"] == "fill" else tank.drain
        if act(message["args"]["litres"]):
            say(type="output", gate="level", args={"litres": tank.content})
        else:
            say(type="output", gate="refused")
    elif message["type"] == "bye":
        break
