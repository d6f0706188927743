"""An orders service that OpenTelemetry's SDK traces. It requires the access token of a refresh.

    service.py SPANS ADDRESS

The service writes each span to the file SPANS as a line of JSON. It writes its URL to the file
ADDRESS when it listens. A span is written before its response leaves, so a client that has the
response finds the span.
"""

import http.server
import json
import os
import sys

from opentelemetry import propagate, trace
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor

spans, address = sys.argv[1:]
provider = TracerProvider(resource=Resource.create({"service.name": "orders"}))
exporter = ConsoleSpanExporter(
    out=open(spans, "a", encoding="utf-8"), formatter=lambda span: span.to_json(indent=None) + "\n"
)
provider.add_span_processor(SimpleSpanProcessor(exporter))
tracer = provider.get_tracer("orders")


class Service(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self):
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.path == "/auth/refresh":
            return 200, {}, {"accessToken": "t1", "refreshToken": "r1"}
        if self.path == "/away":
            host = self.headers["Host"].replace("127.0.0.1", "localhost")
            return 302, {"Location": f"http://{host}/elsewhere"}, {}
        if self.path == "/orders/7" and self.headers.get("Authorization") != "Bearer t1":
            return 401, {"WWW-Authenticate": "Bearer"}, {}
        return 200, {}, {"path": self.path}

    def serve(self):
        parent = propagate.extract({name.lower(): value for name, value in self.headers.items()})
        with tracer.start_as_current_span(
            f"{self.command} {self.path}", context=parent, kind=trace.SpanKind.SERVER
        ) as span:
            status, fields, body = self.answer()
            span.set_attribute("http.response.status_code", status)
        data = json.dumps(body).encode()
        self.send_response(status)
        for name, value in {**fields, "Content-Type": "application/json"}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = serve

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Service)
server.daemon_threads = True
with open(address + ".new", "w", encoding="utf-8") as file:
    file.write(f"http://127.0.0.1:{server.server_port}")
os.rename(address + ".new", address)
server.serve_forever()
