"""A tank of ten litres over TCP. With `--bug` it takes twelve."""
import socketserver, sys

MOST = 12 if "--bug" in sys.argv else 10

class Tank(socketserver.StreamRequestHandler):
    def handle(self):
        level = 0
        for line in self.rfile:
            word, _, n = line.decode().strip().partition(" ")
            if word == "QUIT":
                self.wfile.write(b"221 bye\r\n")
                return
            new = level + int(n) if word == "FILL" else level - int(n)
            if 0 <= new <= MOST:
                level = new
                self.wfile.write(b"200 %d litres\r\n" % level)
            else:
                self.wfile.write(b"500-that does not go\r\n500 too %s\r\n" % (b"full" if new > 0 else b"empty"))

socketserver.TCPServer(("127.0.0.1", int(sys.argv[1])), Tank).serve_forever()
