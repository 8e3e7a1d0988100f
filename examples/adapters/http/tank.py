"""A tank of ten litres over HTTP. With `--bug` it takes twelve."""
import http.server, json, sys

MOST = 12 if "--bug" in sys.argv else 10
level = 0

class Tank(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        global level
        _, what, n = self.path.split("/")
        new = {"fill": level + int(n), "drain": level - int(n), "reset": 0}[what]
        fits = 0 <= new <= MOST
        level = new if fits else level
        answer = {"level": level} if fits else {"error": "too full" if new > 0 else "too empty"}
        self.send_response(200 if fits else 409)
        self.end_headers()
        self.wfile.write(json.dumps(answer).encode())

http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Tank).serve_forever()
