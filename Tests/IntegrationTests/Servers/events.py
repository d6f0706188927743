"""Live streams of the integration tests: server-sent events and JSON lines, under uvicorn, or with
HTTP/2 under hypercorn.

    events.py --port PORT [--pid FILE] [--certificate FILE --key FILE]

With a certificate it is hypercorn.

The server prints "ready" when it listens. Each path ends with a topic, which belongs to one test:

    GET  /feed/T        events 1, 2 ... after Last-Event-ID. The query has total, per (events on a
                        connection), end ("end" or "cut"), and pace (milliseconds between two
                        events). 204 after the last event
    GET  /moved/T       307 to /feed/T with the same query
    GET  /prompt/T      an event for each POST /next/T, whose response follows the event
    GET  /silent/T      one event for each connection, and then silence. 204 after the third event
    GET  /comments/T    ten comments, 100 ms apart, and one event. 204 after the event
    GET  /tokens/T      three events for each token, beginning with t0. 204 after the ninth event
    POST /refresh/T     the next token
    POST /chat/T        the words of {"prompt": ...}, one event each. The last one waits for POST
                        /next/T. With token=1 in the query, it requires another token than t0
    GET  /drip/T        an event each 20 ms, without end; also with POST
    GET  /lines/T       five JSON lines
    GET  /flood/T       1 GiB of events of 10 KiB
    GET  /log/T         the log: the path, Last-Event-ID, token and body of each request, the
                        number of refreshes and of open streams, and the number of sent bytes
    GET  /opened/T      a response once a stream of the topic is open
    GET  /closed/T      a response after a stream of the topic was open and all streams are closed
    GET  /held/T        a response after a stream of the topic could not write for half a second
"""
import argparse
import asyncio
import collections
import json
import os
import socket

import hypercorn.asyncio
import hypercorn.config
import uvicorn
from starlette.applications import Starlette
from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route


class Topic:
    def __init__(self):
        self.connections = []
        self.open = 0
        self.sent = 0
        # The start time of an unfinished write.
        self.writing = None
        self.tokens = 0
        self.refreshes = 0
        self.prompts = asyncio.Queue()
        self.opened = asyncio.Event()
        self.closed = asyncio.Event()


topics = collections.defaultdict(Topic)


class Cut(Exception):
    """Ends a connection in the middle of a body."""


async def note(request):
    topic = topics[request.path_params["topic"]]
    topic.connections.append({
        "path": request.url.path.split("/")[1],
        "id": request.headers.get("last-event-id", ""),
        "token": request.headers.get("authorization", ""),
        "body": (await request.body()).decode(),
    })
    return topic


def stream(topic, parts, kind="text/event-stream"):
    async def counted():
        topic.open += 1
        topic.closed.clear()
        topic.opened.set()
        try:
            async for part in parts:
                topic.writing = asyncio.get_running_loop().time()
                yield part
                topic.writing = None
                topic.sent += len(part)
        finally:
            topic.open -= 1
            topic.writing = None
            if topic.open == 0:
                topic.closed.set()
    return StreamingResponse(counted(), media_type=kind, headers={"Cache-Control": "no-store"})


def event(number, data=None):
    return f"id: {number}\ndata: {data or number}\n\n".encode()


def last_id(request):
    return int(request.headers.get("last-event-id") or 0)


async def feed(request):
    topic = await note(request)
    query = request.query_params
    total, per = int(query["total"]), int(query.get("per", 1 << 30))
    first = last_id(request) + 1
    if first > total:
        return Response(status_code=204)

    async def parts():
        yield b"retry: 10\n\n"
        for number in range(first, min(first + per, total + 1)):
            yield event(number)
            await asyncio.sleep(int(query.get("pace", 0)) / 1000)
        if query.get("end") == "cut":
            # An event without an end must not be delivered.
            yield b"id: 99\ndata: half"
            raise Cut
    return stream(topic, parts())


async def moved(request):
    await note(request)
    # The URL is relative, so it is also valid behind nginx, which has other paths.
    return RedirectResponse(f"../feed/{request.path_params['topic']}?{request.query_params}", 307)


async def prompt(request):
    topic = await note(request)

    async def parts():
        yield b": here\n\n"
        while True:
            number, was_sent = await topic.prompts.get()
            yield event(number)
            was_sent.set()
    return stream(topic, parts())


async def following(request):
    topic = topics[request.path_params["topic"]]
    was_sent = asyncio.Event()
    await topic.prompts.put((request.query_params.get("number", ""), was_sent))
    await was_sent.wait()
    return Response(status_code=204)


async def silent(request):
    topic = await note(request)
    number = last_id(request) + 1
    if number > 3:
        return Response(status_code=204)

    async def parts():
        yield b"retry: 10\n\n" + event(number)
        await asyncio.sleep(600)
    return stream(topic, parts())


async def comments(request):
    topic = await note(request)
    if last_id(request):
        return Response(status_code=204)

    async def parts():
        yield b"retry: 10\n\n"
        for _ in range(10):
            yield b": still here\n"
            await asyncio.sleep(0.1)
        yield event(1)
    return stream(topic, parts())


def token(topic):
    return f"Bearer t{topic.tokens}"


async def tokens(request):
    topic = await note(request)
    if request.headers.get("authorization") != token(topic):
        return JSONResponse({"title": "The token has expired."}, 401)
    first = last_id(request) + 1
    if first > 9:
        return Response(status_code=204)

    async def parts():
        yield b"retry: 10\n\n"
        for number in range(first, first + 3):
            yield event(number)
        # The token expires here, unless this was the last event.
        if first + 3 <= 9:
            topic.tokens += 1
    return stream(topic, parts())


async def refresh(request):
    topic = topics[request.path_params["topic"]]
    topic.refreshes += 1
    return JSONResponse({"access_token": f"t{topic.tokens}", "token_type": "Bearer"})


async def chat(request):
    topic = await note(request)
    if "token" in request.query_params and request.headers.get("authorization") != "Bearer t1":
        topic.tokens = 1
        return JSONResponse({"title": "The token has expired."}, 401)
    words = (await request.json())["prompt"].split()

    async def parts():
        for word in words[:-1]:
            yield f"data: {word}\n\n".encode()
        _, was_sent = await topic.prompts.get()
        yield f"data: {words[-1]}\n\n".encode()
        was_sent.set()
    return stream(topic, parts())


async def drip(request):
    topic = await note(request)

    async def parts():
        number = 0
        while True:
            number += 1
            yield event(number)
            await asyncio.sleep(0.02)
    return stream(topic, parts())


async def lines(request):
    topic = await note(request)

    async def parts():
        for number in range(5):
            yield json.dumps({"number": number}).encode()
            yield b"\n"
    return stream(topic, parts(), "application/x-ndjson")


async def flood(request):
    topic = await note(request)
    text = "x" * 10_000

    async def parts():
        for number in range(1, (1 << 30) // 10_000):
            yield event(number, text)
            # Without a pause, the server would not notice that the client is gone.
            await asyncio.sleep(0)
    return stream(topic, parts())


async def log(request):
    topic = topics[request.path_params["topic"]]
    return JSONResponse({
        "connections": topic.connections, "refreshes": topic.refreshes, "open": topic.open,
        "sent": topic.sent})


async def opened(request):
    topic = topics[request.path_params["topic"]]
    await topic.opened.wait()
    return Response(status_code=204)


async def closed(request):
    topic = topics[request.path_params["topic"]]
    await topic.closed.wait()
    return Response(status_code=204)


async def held(request):
    topic = topics[request.path_params["topic"]]
    clock = asyncio.get_running_loop().time
    while topic.writing is None or clock() - topic.writing < 0.5:
        await asyncio.sleep(0.05)
    return Response(status_code=204)


app = Starlette(routes=[
    Route("/feed/{topic}", feed),
    Route("/moved/{topic}", moved),
    Route("/prompt/{topic}", prompt),
    Route("/next/{topic}", following, methods=["POST"]),
    Route("/silent/{topic}", silent),
    Route("/comments/{topic}", comments),
    Route("/tokens/{topic}", tokens),
    Route("/refresh/{topic}", refresh, methods=["POST"]),
    Route("/chat/{topic}", chat, methods=["POST"]),
    Route("/drip/{topic}", drip, methods=["GET", "POST"]),
    Route("/lines/{topic}", lines),
    Route("/flood/{topic}", flood),
    Route("/log/{topic}", log),
    Route("/opened/{topic}", opened),
    Route("/closed/{topic}", closed),
    Route("/held/{topic}", held),
])


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--port", type=int, required=True)
    options.add_argument("--pid")
    options.add_argument("--certificate")
    options.add_argument("--key")
    options = options.parse_args()
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", options.port))
    listener.listen(128)
    if options.pid:
        with open(options.pid, "w") as file:
            file.write(str(os.getpid()))
    print("ready", flush=True)
    if options.certificate:
        config = hypercorn.config.Config()
        config.bind = [f"fd://{listener.fileno()}"]
        config.certfile, config.keyfile = options.certificate, options.key
        config.graceful_timeout = 1
        asyncio.run(hypercorn.asyncio.serve(app, config))
        return
    config = uvicorn.Config(app, http="h11", log_level="critical", timeout_graceful_shutdown=1)
    uvicorn.Server(config).run([listener])


if __name__ == "__main__":
    main()
