import Foundation
import RESTKit
import Streams
import StreamsTesting

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The failure of a body that the kit sends.
private struct BodyFailure: Error {}

extension TransportTrial {
  private static func parts(of body: Data) -> AnyPublisher<Data, any Error> {
    stride(from: 0, to: body.count, by: 64 << 10)
      .map { body[$0..<min($0 + 64 << 10, body.count)] }
      .publisher.setFailureType(to: (any Error).self).eraseToAnyPublisher()
  }

  func uploads() async throws {
    let body = Self.pattern(1 << 20)
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("TransportConformance-\(UUID().uuidString)")
    try body.write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let bodies: [(name: String, body: RequestBody, hasLength: Bool)] = [
      ("data", .data(body), true), ("a file", .file(file), true),
      ("chunks with a length", .chunks(Self.parts(of: body), length: Int64(body.count)), true),
      ("chunks", .chunks(Self.parts(of: body)), false),
    ]
    let server = try serve(nil) { .text("\($0.body.count)", status: 201) }
    defer { server.stop() }
    let transport = try transport()
    for (index, (name, upload, hasLength)) in bodies.enumerated() {
      let pieces = await TransportPieces(
        transport.events(for: try request(server, method: "PUT"), body: upload))
      try expect(
        pieces.failure == nil && pieces.heads.map(\.statusCode) == [201],
        "a response to \(name)", seen: "\(pieces.failure.map { "\($0)" } ?? "\(pieces.heads)")")
      let arrived = arrived(at: server).dropFirst(index)
      try expect(
        arrived.count == 1 && arrived.first?.body == body, "\(name), whole and once",
        seen: "\(arrived.map(\.body.count)) bytes")
      try expect(
        !hasLength || arrived.first?.value(for: "Content-Length") == "\(body.count)",
        "\(name) announced by the length", seen: "\(arrived.first?.headers.map(\.name) ?? [])")
      let steps = pieces.sent.map(\.completedBytes)
      try expect(
        steps == steps.sorted() && steps.last == Int64(body.count),
        "progress of \(name) up to \(body.count)", seen: "\(steps.suffix(5))")
      try expect(
        !hasLength || pieces.sent.allSatisfy { $0.totalBytes == Int64(body.count) },
        "the total of \(name)", seen: "\(pieces.sent.map(\.totalBytes))")
    }
  }

  func bodyFailures() async throws {
    let body = Self.pattern(1 << 20)
    let server = try serve(nil, Self.ok)
    defer { server.stop() }
    let transport = try transport()
    let request = try request(server, method: "POST")
    let none = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    let missing = await TransportPieces(transport.events(for: request, body: .file(none)))
    try expect(
      server.connectionCount == 0, "no connection for a file that is not there",
      seen: "\(server.connectionCount)")
    try expectFault(missing, .invalidRequest, "a file that is not there")
    var two = request
    two.httpBody = Data("one".utf8)
    try expectFault(
      await TransportPieces(transport.events(for: two, body: .data(body))), .invalidRequest,
      "two bodies")
    let failing = Self.parts(of: body).append(Fail<Data, any Error>(error: BodyFailure()))
    let failed = await TransportPieces(transport.events(for: request, body: .chunks(failing)))
    try expect(
      failed.failure is BodyFailure, "the failure of the body's publisher",
      seen: failed.failure.map { "\($0)" } ?? "a response")
    for length in [Int64(1), 2 << 20] {
      let pieces = await TransportPieces(
        transport.events(
          for: request, body: .chunks(Self.parts(of: body), length: length)))
      try expectFault(pieces, .sendFailed, "\(body.count) bytes announced as \(length)")
    }
    try expect(
      arrived(at: server).isEmpty, "no whole request",
      seen: "\(arrived(at: server).map(\.body.count)) bytes")
  }

  func onceOnly() async throws {
    let server = try serve(nil) { .text("\($0.body.count)") }
    defer { server.stop() }
    let transport = try transport()
    let request = try request(server, method: "POST")
    let body = RequestBody.chunks(Self.parts(of: Data("once".utf8)))
    let first = await TransportPieces(transport.events(for: request, body: body))
    try expect(
      first.data == Data("4".utf8), "a response to the first", seen: "\(first.failure as Any)")
    let second = await TransportPieces(transport.events(for: request, body: body))
    try expectFault(second, .invalidRequest, "a body that was sent")
    try expect(arrived(at: server).count == 1, "one request", seen: "\(arrived(at: server).count)")
    let replayable = RequestBody.chunks(Self.parts(of: Data("twice".utf8)), isReplayable: true)
    for _ in 0..<2 {
      let pieces = await TransportPieces(transport.events(for: request, body: replayable))
      try expect(
        pieces.data == Data("5".utf8), "a body that may be sent again, sent again",
        seen: "\(pieces.failure as Any)")
    }
    try await onceOnlyOverDeadConnection()
  }

  /// Sends a body that can be sent only once over a kept connection that does not answer.
  private func onceOnlyOverDeadConnection() async throws {
    let server = try serve(nil) { request in
      request.connectionID == 0 && request.method == "PUT"
        ? MockResponse(status: 200, delivery: .closeBeforeResponse) : .text("ok")
    }
    defer { server.stop() }
    let transport = try transport()
    _ = try await response(to: try request(server), over: transport)
    let body = Self.pattern(1 << 20)
    let subscriptions = Lock(0)
    let chunks = Self.parts(of: body)
      .handleEvents(receiveSubscription: { _ in subscriptions.withLock { $0 += 1 } })
    let put = try request(server, method: "PUT")
    let pieces = await TransportPieces(transport.events(for: put, body: .chunks(chunks)))
    try expect(
      subscriptions.withLock { $0 } == 1, "one subscription to the publisher of the body",
      seen: "\(subscriptions.withLock { $0 })")
    if let failure = pieces.failure {
      let fault = try fault(in: failure, "a dead connection")
      try expect(fault.mayHaveBeenProcessed, "may have been processed", seen: "\(fault)")
    }
  }

  func bodyCancel() async throws {
    let server = try serve(nil, Self.ok)
    defer { server.stop() }
    let (begins, begin) = AsyncStream.makeStream(of: Void.self)
    let (cancels, cancel) = AsyncStream.makeStream(of: Void.self)
    let chunks = PassthroughSubject<Data, any Error>().handleEvents(
      receiveCancel: { cancel.yield() }, receiveRequest: { _ in begin.yield() })
    let transport = try transport()
    let upload = try request(server, "/upload", method: "PUT")
    let call = TestSubscriber<TransferEvent, any Error>()
    transport.events(for: upload, body: .chunks(chunks)).receive(subscriber: call)
    for await _ in begins { break }
    call.cancel()
    for await _ in cancels { break }
    // A request of the upload would arrive before this one.
    _ = try await response(to: try request(server, "/next"), over: transport)
    try expect(
      arrived(at: server).map(\.path) == ["/next"], "no whole request of what was cancelled",
      seen: "\(arrived(at: server).map(\.path))")
  }

  private func expectFault(
    _ pieces: TransportPieces, _ kind: TransportError.Kind, _ why: String
  ) throws {
    guard let error = pieces.failure else {
      throw TransportViolation(expected: "a fault: \(why)", seen: "a response")
    }
    let fault = try fault(in: error, why)
    try expect(fault.kind == kind, "\(kind) for \(why)", seen: "\(fault.kind): \(fault)")
  }
}
