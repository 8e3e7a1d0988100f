"""A tank of ten litres over TCP, in lines such as `fill(3)`. With `--bug` it takes twelve."""
import re, socketserver, sys

MOST = 12 if "--bug" in sys.argv else 10

class Tank(socketserver.StreamRequestHandler):
    def handle(self):
        level = 0
        for line in self.rfile:
            gate, n = re.fullmatch(r"(\w+)\((\d+)\)\s*", line.decode()).groups()
            new = level + int(n) if gate == "fill" else level - int(n)
            if 0 <= new <= MOST:
                level = new
                self.wfile.write(b"level(%d)\n" % level)
            else:
                self.wfile.write(b"refused(%s)\n" % (b"TooFull" if new > 0 else b"TooEmpty"))

socketserver.TCPServer(("127.0.0.1", int(sys.argv[1])), Tank).serve_forever()
