import Dispatch
import Foundation
import RESTKit
import Streams
import StreamsTesting

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension TransportTrial {
  private static let body = pattern(2 << 20)

  func pieces() async throws {
    let server = try serve(nil) { request in
      MockResponse(
        status: 404, body: Self.body,
        delivery: request.path == "/chunked" ? .chunked([Self.body]) : .whole)
    }
    defer { server.stop() }
    let transport = try transport()
    for path in ["/whole", "/chunked"] {
      let pieces = await TransportPieces(transport.events(for: try request(server, path)))
      try expect(pieces.failure == nil, "an end", seen: "\(pieces.failure as Any)")
      try expect(
        pieces.heads.map(\.statusCode) == [404], "one head", seen: "\(pieces.heads.count)")
      try expect(!pieces.isDisordered, "the head, then chunks with bytes", seen: "another order")
      try expect(pieces.data == Self.body, "the body", seen: "\(pieces.data.count) bytes of it")
      try expect(pieces.chunks.count > 1, "several chunks", seen: "\(pieces.chunks.count)")
      try expect(pieces.sent.isEmpty, "no progress without a body to send", seen: "some")
    }
  }

  func demand() async throws {
    let server = try serve(nil) { request in
      request.path == "/other" ? .text("ok") : MockResponse(status: 200, body: Self.body)
    }
    defer { server.stop() }
    let transport = try transport()
    let (values, value) = AsyncStream.makeStream(of: Void.self)
    let subscriber = TestSubscriber<TransferEvent, any Error>(demand: .max(1)) { _, _ in
      value.yield()
      return .none
    }
    transport.events(for: try request(server)).receive(subscriber: subscriber)
    for await _ in values { break }
    // When these calls have ended, more pieces of the first call have arrived long ago.
    for _ in 0..<5 { _ = try await response(to: request(server, "/other"), over: transport) }
    try expect(
      subscriber.values.count == 1, "the one piece asked for", seen: "\(subscriber.values.count)")
    subscriber.cancel()

    let data = Lock(Data())
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    let eager = TestSubscriber<TransferEvent, any Error>(demand: .max(1)) { _, event in
      if case .chunk(let chunk) = event { data.withLock { $0 += chunk } }
      return .max(1)
    }
    transport.events(for: try request(server))
      .handleEvents(receiveCompletion: { _ in end.yield() })
      .receive(subscriber: eager)
    for await _ in ends { break }
    try expect(
      data.withLock { $0 } == Self.body, "all of the body, asked for one by one",
      seen: "\(data.withLock { $0.count }) bytes of it")
    try await lateDemand(at: server, over: transport)
  }

  /// Asks for the first piece later, and for each further one after the one before was delivered.
  ///
  /// A queue of its own asks: a busy test might leave the exchange paused for long.
  private func lateDemand(at server: any TrialServer, over transport: any Transport) async throws {
    let queue = DispatchQueue(label: "late demand")
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    let late = TestSubscriber<TransferEvent, any Error>(demand: .none) { subscriber, _ in
      queue.async { subscriber.request(.max(1)) }
      return .none
    }
    transport.events(for: try request(server))
      .handleEvents(receiveCompletion: { _ in end.yield() })
      .receive(subscriber: late)
    // What has arrived by then waits for a demand.
    queue.asyncAfter(deadline: .now() + .milliseconds(20)) { late.request(.max(1)) }
    for await _ in ends { break }
    let data = late.values.reduce(into: Data()) { data, event in
      if case .chunk(let chunk) = event { data.append(chunk) }
    }
    try expect(
      data == Self.body, "all of the body, asked for later", seen: "\(data.count) bytes of it")
  }

  func beyondLimit() async throws {
    var limits = TransportLimits()
    limits.bodyBytes = 1_000
    limits.errorBodyBytes = 1_000
    let server = try serve(nil) { _ in MockResponse(status: 200, body: Self.body) }
    defer { server.stop() }
    let pieces = await TransportPieces(
      try transport(limits).events(for: try request(server)))
    try expect(
      pieces.data == Self.body && pieces.failure == nil, "the whole body",
      seen: "\(pieces.data.count) bytes, \(pieces.failure as Any)")
  }

  func cancel() async throws {
    let gate = MockGate()
    let server = try serve(nil) { request in
      request.path == "/other"
        ? .text("ok")
        : MockResponse(
          status: 200, body: Self.pattern(1_000), delivery: .paused(afterBytes: 10, until: gate))
    }
    defer { server.stop() }
    let transport = try transport()
    let whole = TestSubscriber<RESTResponse, any Error>()
    transport.response(for: try request(server)).receive(subscriber: whole)
    let first = try await server.received(1)[0].connectionID
    whole.cancel()
    try await expectClosed(first, by: server)

    let (chunks, chunk) = AsyncStream.makeStream(of: Int.self)
    let pieces = TestSubscriber<TransferEvent, any Error> { _, event in
      if case .chunk(let data) = event { chunk.yield(data.count) }
      return .none
    }
    transport.events(for: try request(server)).receive(subscriber: pieces)
    let second = try await server.received(2)[1].connectionID
    var bytes = 0
    for await count in chunks {
      bytes += count
      if bytes >= 10 { break }
    }
    // Nothing more arrives, so what comes in a cancel is too much as well.
    let count = pieces.signals.count
    pieces.cancel()
    try await expectClosed(second, by: server)
    gate.open()
    for _ in 0..<3 { _ = try await response(to: request(server, "/other"), over: transport) }
    try expect(
      whole.values.isEmpty && whole.completions.isEmpty && pieces.completions.isEmpty
        && pieces.signals.count == count,
      "nothing after a cancel", seen: "\(whole.signals) \(pieces.signals.dropFirst(count))")
  }

  func lifetime() async throws {
    let gate = MockGate()
    let server = try serve(nil) { _ in .text("ok", gate: gate) }
    defer { server.stop() }
    let request = try request(server)
    var publisher: AnyPublisher<RESTResponse, any Error>? = try transport().response(for: request)
    let call = Task { [publisher] in try await publisher?.value.statusCode }
    // From here on only the running call holds the transport.
    publisher = nil
    let id = try await server.received(1)[0].connectionID
    gate.open()
    let status = try await call.value
    try expect(status == 200, "a response to the running call", seen: "\(status as Any)")
    try await expectClosed(id, by: server)
  }

  private func expectClosed(_ id: Int, by server: any TrialServer) async throws {
    let end = try await server.connectionClosed(id)
    try expect(end == .client, "the connection closed by the client", seen: "\(end)")
  }

  func crowd() async throws {
    let server = try serve(nil) { .text($0.path) }
    defer { server.stop() }
    let transport = try transport()
    let paths = (0..<100).map { "/\($0)" }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for path in paths {
        group.addTask {
          let response = try await response(to: try request(server, path), over: transport)
          try expect(
            response.data == Data(path.utf8), "a response of its own",
            seen: Self.text(response.data))
        }
      }
      try await group.waitForAll()
    }
    try expect(
      arrived(at: server).count == 100, "100 requests", seen: "\(arrived(at: server).count)")
  }

  func nesting() async throws {
    let server = try serve(nil) { .text($0.path) }
    defer { server.stop() }
    let transport = try transport()
    let (outer, inner) = (try request(server, "/outer"), try request(server, "/inner"))
    let data = try await transport.response(for: outer)
      .flatMap { _ in transport.events(for: inner) }
      .flatMap { event -> AnyPublisher<RESTResponse, any Error> in
        guard case .head = event else { return Empty().eraseToAnyPublisher() }
        return transport.response(for: inner)
      }
      .value.data
    try expect(data == Data("/inner".utf8), "the inner call's response", seen: Self.text(data))
  }
}
