"""The tank over TCP, a line for each command and for each answer: `python3 server.py PORT`; port 0 takes a free one."""
import socketserver
import sys

from tank import Tank


class Connection(socketserver.StreamRequestHandler):
    disable_nagle_algorithm = True  # Answers are short, and each is waited for.

    def handle(self):
        tank = Tank()  # Each connection has a tank of its own.
        for line in self.rfile:
            command, _, litres = line.decode().strip().partition(" ")
            if command not in ("FILL", "DRAIN") or not litres.isdecimal():
                self.wfile.write(b"WHAT?\n")
                continue
            act = tank.fill if command == "FILL" else tank.drain
            done = act(int(litres))
            self.wfile.write(b"LEVEL %d\n" % tank.content if done else b"NO\n")


socketserver.TCPServer.allow_reuse_address = True
with socketserver.TCPServer(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 7000), Connection) as server:
    print("listening at tcp://{}:{}".format(*server.server_address), flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
