"""Connects the tank with sioco: lines of JSON over TCP. `python3 server.py PORT`; port 0 takes a free one."""
import json
import socketserver
import sys

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
                self.say(type="accepted", id=message["id"])
                act = tank.fill if message["gate"] == "fill" else tank.drain
                if act(message["args"]["litres"]):
                    self.say(type="output", gate="level", args={"litres": tank.content})
                else:
                    self.say(type="output", gate="refused")
            elif message["type"] == "bye":
                break


socketserver.TCPServer.allow_reuse_address = True
with socketserver.TCPServer(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 7000), Tester) as server:
    print("listening at tcp://{}:{}".format(*server.server_address), flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
