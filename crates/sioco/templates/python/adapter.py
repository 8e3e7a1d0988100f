"""Connects the tank with sioco: lines of JSON on standard input and output."""
import json
import sys
import traceback

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
        act, litres = {"fill": tank.fill, "drain": tank.drain}[message["gate"]], message["args"]["litres"]
        say(type="accepted", id=message["id"])
        try:  # Only the tank is called here: whatever it raises is a crash of it.
            output = {"gate": "level", "args": {"litres": tank.content}} if act(litres) else {"gate": "refused"}
        except BaseException as error:
            say(type="crashed", message=f"{type(error).__name__}: {error}", details=traceback.format_exc())
        else:
            say(type="output", **output)
    elif message["type"] == "bye":
        break
