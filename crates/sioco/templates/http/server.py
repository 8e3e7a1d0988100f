"""The tank over HTTP, with JSON: `python3 server.py PORT`; port 0 takes a free one.

POST /fill and POST /drain take {"litres": 10}; they answer 200 {"level": 10}, or 409. DELETE /tank empties it."""
import http.server
import json
import sys

from tank import Tank

tank = Tank()


class Handler(http.server.BaseHTTPRequestHandler):
    def answer(self, status, content=None):
        body = b"" if content is None else json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        act = {"/fill": tank.fill, "/drain": tank.drain}.get(self.path)
        if act is None:
            return self.answer(404)
        litres = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["litres"]
        if act(litres):
            self.answer(200, {"level": tank.content})
        else:
            self.answer(409, {"error": "that does not go"})

    def do_DELETE(self):
        global tank
        tank = Tank()
        self.answer(204)

    def log_message(self, *_):
        pass  # Nobody reads it.


with http.server.HTTPServer(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 7000), Handler) as server:
    print("listening at http://{}:{}".format(*server.server_address), flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
