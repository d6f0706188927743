"""An HTTP/2 server that refuses streams (RFC 9113 §8.7), which nginx does not do on request.

The first POST /refuse/KEY is refused with RST_STREAM, and the next one succeeds. The first POST
/goaway/KEY is refused with a GOAWAY that excludes it, and the next one succeeds. /refuse-always/KEY
is always refused. /die/KEY is read, and then the connection ends. The body of a response is the
number of requests for its path.
"""

import argparse
import collections
import os
import socketserver
import ssl
import threading

import h2.config
import h2.connection
import h2.errors
import h2.events

REFUSED = h2.errors.ErrorCodes.REFUSED_STREAM


class RefusingServer(socketserver.BaseRequestHandler):
    context = None
    asked = collections.Counter()
    lock = threading.Lock()

    def handle(self):
        try:
            self.connection = self.context.wrap_socket(self.request, server_side=True)
            self.serve()
        except (ssl.SSLError, OSError):
            pass

    def serve(self):
        self.http = h2.connection.H2Connection(
            h2.config.H2Configuration(client_side=False, header_encoding="utf-8"))
        self.http.initiate_connection()
        self.flush()
        self.answers = {}
        while True:
            data = self.connection.recv(65536)
            if not data:
                return
            for event in self.http.receive_data(data):
                if isinstance(event, h2.events.RequestReceived):
                    self.refuse(event.stream_id, dict(event.headers)[":path"])
                elif isinstance(event, h2.events.StreamEnded) and event.stream_id in self.answers:
                    answer = self.answers.pop(event.stream_id)
                    if answer is None:
                        return
                    self.http.send_headers(event.stream_id, [(":status", "200")])
                    self.http.send_data(event.stream_id, answer, end_stream=True)
            self.flush()
            if self.http.state_machine.state == h2.connection.ConnectionState.CLOSED:
                self.drain()
                return

    def refuse(self, stream, path):
        """Refuses a request, or stores its response until the whole request has arrived."""
        with self.lock:
            self.asked[path] += 1
            count = self.asked[path]
        kind = path.split("/")[1]
        if kind == "refuse-always" or (kind == "refuse" and count == 1):
            self.http.reset_stream(stream, REFUSED)
        elif kind == "goaway" and count == 1:
            self.http.close_connection(last_stream_id=max(0, stream - 2))
        else:
            self.answers[stream] = None if kind == "die" else str(count).encode()

    def drain(self):
        """Reads the rest, since a close with unread data is a reset, which can lose sent data."""
        while self.connection.recv(65536):
            pass

    def flush(self):
        self.connection.sendall(self.http.data_to_send())


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pid", required=True)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--certificate", required=True)
    parser.add_argument("--key", required=True)
    options = parser.parse_args()
    RefusingServer.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    RefusingServer.context.load_cert_chain(options.certificate, options.key)
    RefusingServer.context.set_alpn_protocols(["h2"])
    server = Server(("127.0.0.1", options.port), RefusingServer)
    with open(options.pid, "w", encoding="ascii") as file:
        file.write(f"{os.getpid()}\n")
    server.serve_forever()


if __name__ == "__main__":
    main()
