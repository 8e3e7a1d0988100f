"""Connects the tank with sioco: lines of JSON over TCP. `python3 server.py PORT`; port 0 takes a free one."""
import json
import socketserver
import sys
import traceback

from tank import Tank


class Tester(socketserver.StreamRequestHandler):
    disable_nagle_algorithm = True  # Answers are short, and each is waited for.

    def say(self, **message):
        self.wfile.write(json.dumps(message).encode() + b"\n")

    def handle(self):
        for line in self.rfile:
            message = json.loads(line)
            if message["type"] == "hello":
                gates = {"inputs": ["fill", "drain"], "outputs": ["level", "refused"]}
                self.say(type="hello", protocol=1, name="tank", order="sut", **gates)
            elif message["type"] == "reset":
                tank = Tank()
                self.say(type="ready", run=message["run"])
            elif message["type"] == "input":
                act, litres = {"fill": tank.fill, "drain": tank.drain}[message["gate"]], message["args"]["litres"]
                self.say(type="accepted", id=message["id"])
                try:  # Only the tank is called here: whatever it raises is a crash of it.
                    output = {"gate": "level", "args": {"litres": tank.content}} if act(litres) else {"gate": "refused"}
                except BaseException as error:
                    self.say(type="crashed", message=f"{type(error).__name__}: {error}", details=traceback.format_exc())
                else:
                    self.say(type="output", **output)
            elif message["type"] == "bye":
                break


socketserver.TCPServer.allow_reuse_address = True
with socketserver.TCPServer(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 7000), Tester) as server:
    print("listening at tcp://{}:{}".format(*server.server_address), flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
