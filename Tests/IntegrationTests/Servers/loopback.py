"""Servers for features that nginx lacks:

- a forward proxy, a proxy that requires a password, and a proxy that uses TLS itself
- a TLS server that ends the handshake with a client without a certificate
- a server that sends bytes after its responses, or closes connections without notice

All of them are on 127.0.0.1 and connect to no other address. The proxies resolve a name that is in
no DNS, proxied.invalid, so a response from this name proves that it came through a proxy.
"""

import argparse
import base64
import collections
import os
import select
import socket
import socketserver
import ssl
import struct
import threading
import time

NAME = "proxied.invalid"


def read_head(connection):
    data = b""
    while b"\r\n\r\n" not in data and len(data) < 1 << 20:
        part = connection.recv(65536)
        if not part:
            return None, b""
        data += part
    head, _, rest = data.partition(b"\r\n\r\n")
    return head.decode("latin-1").split("\r\n"), rest


def relay(one, other):
    """Passes bytes both ways until either side ends."""
    ends = {one: other, other: one}
    while True:
        ready, _, _ = select.select(list(ends), [], [], 60)
        if not ready:
            return
        for source in ready:
            part = source.recv(65536)
            if not part:
                return
            ends[source].sendall(part)


class Proxy(socketserver.BaseRequestHandler):
    credentials = None

    def handle(self):
        lines, rest = read_head(self.request)
        if lines is None:
            return
        method, target, version = lines[0].split(" ", 2)
        fields = [line.partition(":") for line in lines[1:]]
        if self.credentials is not None:
            told = [value.strip() for name, _, value in fields
                    if name.lower() == "proxy-authorization"]
            if told != [self.credentials]:
                self.answer("407 Proxy Authentication Required",
                            'Proxy-Authenticate: Basic realm="peers"\r\n')
                return
        if method == "CONNECT":
            authority = target
            # A proxy must not see any of these fields.
            meant_for_server = {"authorization", "cookie", "x-test"}
            if any(name.lower() in meant_for_server for name, _, _ in fields):
                self.answer("400 Bad Request")
                return
        else:
            scheme, _, tail = target.partition("://")
            authority, slash, path = tail.partition("/")
            if scheme != "http":
                self.answer("400 Bad Request")
                return
        host, _, port = authority.rpartition(":")
        if host not in (NAME, "127.0.0.1", "localhost"):
            self.answer("403 Forbidden")
            return
        try:
            server = socket.create_connection(("127.0.0.1", int(port)), timeout=10)
        except OSError:
            self.answer("502 Bad Gateway")
            return
        with server:
            if method == "CONNECT":
                self.request.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
                server.sendall(rest)
            else:
                kept = [f"{name}:{value}" for name, _, value in fields
                        if not name.lower().startswith("proxy-") and name.lower() != "connection"]
                head = [f"{method} {slash}{path} {version}", *kept,
                        "Connection: close", "X-Via: peers"]
                server.sendall("\r\n".join(head).encode("latin-1") + b"\r\n\r\n" + rest)
            relay(self.request, server)

    def answer(self, status, fields=""):
        self.request.sendall(
            f"HTTP/1.1 {status}\r\n{fields}Content-Length: 0\r\nConnection: close\r\n\r\n".encode())


class AuthenticatingProxy(Proxy):
    pass


class SecureProxy(Proxy):
    """A proxy to which clients connect over TLS."""

    context = None

    def handle(self):
        try:
            # OpenSSL reads one record at a time, so select sees all data.
            self.request = self.context.wrap_socket(self.request, server_side=True)
            super().handle()
        except (ssl.SSLError, OSError):
            pass


class DemandingServer(socketserver.BaseRequestHandler):
    """A server that ends the handshake if nginx would respond with 400."""

    context = None

    def handle(self):
        connection = self.context.wrap_socket(
            self.request, server_side=True, do_handshake_on_connect=False)
        try:
            connection.do_handshake()
            if read_head(connection)[0] is not None:
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n"
                                   b"Connection: close\r\n\r\nok")
        except (ssl.SSLError, OSError):
            pass
        # A close with unread data becomes a reset, which can overtake the alert.
        try:
            connection.shutdown(socket.SHUT_WR)
            while os.read(connection.fileno(), 65536):
                pass
        except OSError:
            pass
        connection.close()


class LateServer(socketserver.BaseRequestHandler):
    """A server that sends late bytes after a response, over TLS.

    After the response to GET /late/KIND/MILLISECONDS/KEY, the late bytes of that kind follow after
    this time. The response to GET /wait/KEY comes when they are sent. A reset waits for that call,
    since it could overtake the response. A later request on the same connection gets the response
    "reused", all others get "good".
    """

    context = None
    sent = collections.defaultdict(threading.Event)
    awaited = collections.defaultdict(threading.Event)
    late = {
        "poison": b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil",
        "timeout": b"HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n"
                   b"Connection: close\r\n\r\n",
        "line-end": b"\r\n",
        "close": b"",
        "reset": b"",
    }

    def handle(self):
        try:
            self.connection = self.context.wrap_socket(self.request, server_side=True)
            self.serve()
        except (ssl.SSLError, OSError):
            pass

    def serve(self):
        answer = "good"
        while True:
            lines, rest = read_head(self.connection)
            if lines is None:
                return
            length = [int(value) for name, _, value in
                      (line.partition(":") for line in lines[1:])
                      if name.lower() == "content-length"]
            while length and len(rest) < length[0]:
                rest += self.connection.recv(65536)
            parts = lines[0].split(" ")[1].split("/")
            if parts[1] == "wait":
                self.awaited[parts[2]].set()
                self.sent[parts[2]].wait(10)
            if parts[1] in ("certain", "uncertain"):
                # The close ends the body. Only a close_notify proves that the server closed.
                self.connection.sendall(b"HTTP/1.1 200 OK\r\n\r\nhello")
                if parts[1] == "certain":
                    self.connection.unwrap()
                os.close(self.connection.detach())
                return
            self.connection.sendall(
                f"HTTP/1.1 200 OK\r\nContent-Length: {len(answer)}\r\n\r\n{answer}".encode())
            if parts[1] == "late":
                _, _, kind, milliseconds, key = parts
                answer = "reused"
                time.sleep(int(milliseconds) / 1000)
                if kind == "reset":
                    self.awaited[key].wait(10)
                    self.connection.setsockopt(
                        socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                if self.late[kind]:
                    self.connection.sendall(self.late[kind])
                if kind in ("timeout", "close", "reset"):
                    # There is no close_notify, as with many servers.
                    os.close(self.connection.detach())
                    self.sent[key].set()
                    return
                self.sent[key].set()


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pid", required=True)
    parser.add_argument("--ports", nargs=6, type=int, required=True)
    parser.add_argument("--credentials", required=True)
    parser.add_argument("--certificate", required=True)
    parser.add_argument("--key", required=True)
    parser.add_argument("--authority", required=True)
    options = parser.parse_args()
    AuthenticatingProxy.credentials = (
        "Basic " + base64.b64encode(options.credentials.encode()).decode())

    def demanding(version):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(options.certificate, options.key)
        context.load_verify_locations(options.authority)
        context.verify_mode = ssl.CERT_REQUIRED
        context.maximum_version = version
        return type("Demanding", (DemandingServer,), {"context": context})

    SecureProxy.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    SecureProxy.context.load_cert_chain(options.certificate, options.key)
    LateServer.context = SecureProxy.context
    handlers = [Proxy, AuthenticatingProxy,
                demanding(ssl.TLSVersion.TLSv1_2), demanding(ssl.TLSVersion.TLSv1_3),
                SecureProxy, LateServer]
    servers = [Server(("127.0.0.1", port), handler)
               for port, handler in zip(options.ports, handlers)]
    for server in servers:
        threading.Thread(target=server.serve_forever, daemon=True).start()
    # The servers listen by now, so clients that see the file can connect.
    with open(options.pid, "w") as file:
        file.write(f"{os.getpid()}\n")
    threading.Event().wait()


main()
