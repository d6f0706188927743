import Foundation
import RESTKit
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension TransportTrial {
  func bodyLimit() async throws {
    var limits = TransportLimits()
    limits.bodyBytes = 10_000
    limits.errorBodyBytes = 1_000
    let transport = try transport(limits)
    try expect(
      transport.limits == limits, "the limits that it was made with", seen: "\(transport.limits)")
    let server = try serve(nil) { request in
      let parts = request.path.split(separator: "/")
      let status = parts.first.flatMap { UInt16($0) } ?? 200
      let body = Self.pattern(parts.last.flatMap { UInt32($0) }.map { Int(clamping: $0) } ?? 0)
      return MockResponse(
        status: Int(status), body: body,
        delivery: request.query == "chunked" ? .chunked([body]) : .whole)
    }
    defer { server.stop() }
    let tooMuch: [(path: String, limit: TransportError.Limit)] = [
      ("/200/10001", .bodyBytes), ("/404/1001", .errorBodyBytes), ("/500/20000", .errorBodyBytes),
    ]
    for (path, limit) in tooMuch {
      for query in ["", "?chunked"] {
        let fault = try await fault(
          of: try request(server, path + query), over: transport, "\(path)\(query) is too much")
        try expect(
          fault.kind == .limitExceeded(limit) && fault.mayHaveBeenProcessed,
          "limitExceeded(\(limit)) for \(path)\(query)", seen: "\(fault.kind): \(fault)")
        let status = UInt16(path.dropFirst().prefix(3)).map { Int($0) }
        try expect(
          fault.statusCode == status, "the status \(path)", seen: "\(fault.statusCode as Any)")
      }
    }
    for path in ["/200/10000", "/404/1000"] {
      _ = try await response(to: try request(server, path), over: transport)
    }
  }

  func headerLimit() async throws {
    try await inBothForms { try await headerLimit(in: $0) }
  }

  private func headerLimit(in form: TrialForm) async throws {
    let server = try serve(nil) { request in
      MockResponse(
        status: 200,
        headers: request.path == "/count"
          ? (0..<120).map { ("X-\($0)", "") }
          : request.path == "/bytes"
            ? (0..<20).map { ("X-\($0)", String(repeating: "v", count: 1_000)) }
            : (0..<80).map { ("X-\($0)", "") })
    }
    defer { server.stop() }
    var limits = TransportLimits()
    limits.headerCount = 100
    limits.headerBytes = 10_000
    let transport = try transport(limits)
    let tooMuch: [(path: String, limit: TransportError.Limit)] = [
      ("/count", .headerCount), ("/bytes", .headerBytes),
    ]
    for (path, limit) in tooMuch {
      let fault = try await fault(
        of: try request(server, path), over: transport, in: form, "\(path) is too much")
      try expect(
        fault.kind == .limitExceeded(limit), "limitExceeded(\(limit))",
        seen: "\(fault.kind): \(fault)")
    }
    let few = try await response(to: try request(server, "/few"), over: transport, in: form)
    try expect(few.headers.contains("X-79"), "all lines within the limit", seen: "\(few.headers)")
  }

  func deadline() async throws {
    let gate = MockGate()
    let trickle = (0..<10).map { MockPiece.after(.milliseconds(30), "\($0)") }
    let deliveries: [MockResponse.Delivery] = [
      .hang, .paused(afterBytes: 10, until: gate), .pieces(trickle),
    ]
    for delivery in deliveries {
      let server = try serve(nil) { _ in
        MockResponse(status: 200, body: Self.pattern(100), delivery: delivery)
      }
      defer { server.stop() }
      var request = try request(server)
      request.timeoutInterval = 0.12
      let transport = try transport()
      let clock = ContinuousClock()
      let begin = clock.now
      let fault = try await fault(of: request, over: transport, "a time of 120 ms")
      let time = clock.now - begin
      try expect(time >= .milliseconds(120), "no end before 120 ms", seen: "\(time)")
      try expect(
        fault.kind == .timedOut && fault.mayHaveBeenProcessed,
        "timedOut, which may have been processed", seen: "\(fault.kind): \(fault)")
      let end = try await server.connectionClosed(0)
      try expect(end == .client, "the connection closed by the client", seen: "\(end)")
    }
  }

  func silence() async throws {
    let gate = MockGate()
    let body = Self.pattern(100_000)
    let server = try serve(nil) { request in
      MockResponse(
        status: 200, body: body,
        delivery: request.path == "/hang" ? .hang : .paused(afterBytes: 10, until: gate))
    }
    defer { server.stop() }
    let transport = try transport()
    for path in ["/hang", "/stall"] {
      var request = try request(server, path)
      request.timeoutInterval = 0.12
      let pieces = await TransportPieces(transport.events(for: request))
      guard let error = pieces.failure else {
        throw TransportViolation(expected: "a fault for \(path)", seen: "an end without a failure")
      }
      let fault = try fault(in: error, path)
      try expect(fault.kind == .timedOut, "timedOut for \(path)", seen: "\(fault)")
      try expect(
        body.starts(with: pieces.data), "the beginning of the body before it", seen: "other bytes")
    }
    try await slowResponse(over: transport)
  }

  /// Checks that only a silence ends an exchange in pieces, and not the time of all of it.
  private func slowResponse(over transport: any Transport) async throws {
    // A busy machine may be silent itself, and then gets more time.
    for time in [0.4, 1.2, 3.6] {
      let pieces = (0..<8).map { MockPiece.after(.seconds(time / 5), "\($0)") }
      let server = try serve(nil) { _ in MockResponse(status: 200, delivery: .pieces(pieces)) }
      defer { server.stop() }
      var request = try request(server)
      request.timeoutInterval = time
      let slow = await TransportPieces(transport.events(for: request))
      // What comes as a whole has the time of a whole exchange.
      if slow.failure != nil, slow.heads.isEmpty { return }
      if slow.failure == nil, slow.data == Data("01234567".utf8) { return }
    }
    throw TransportViolation(
      expected: "all of a body that takes longer, without a silence", seen: "a part of it")
  }
}
