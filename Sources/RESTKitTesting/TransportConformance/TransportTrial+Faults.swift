import Foundation
import RESTKit
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension TransportTrial {
  func connecting() async throws {
    let server = try serve(nil, Self.ok)
    defer { server.stop() }
    if rule == .refused { server.stop() }
    let (url, kind): (String, TransportError.Kind) =
      switch rule {
      case .refused: (server.baseURL, .connectionRefused)
      // RFC 6761 §6.4: this domain never has an address.
      case .unknownHost: ("http://nowhere.invalid/", .hostNotFound)
      default: ("https://127.0.0.1:\(server.port)/", .tlsFailed(.notTLS))
      }
    let transport = try transport()
    let request = try request(url, method: "POST", body: Data("x".utf8))
    let fault = try await fault(of: request, over: transport, "\(kind)")
    try expect(Self.isSame(fault.kind, kind), "\(kind)", seen: "\(fault.kind): \(fault)")
    try expect(!fault.mayHaveBeenProcessed, "not processed", seen: "\(fault)")
    let pieces = await TransportPieces(transport.events(for: request))
    try expect(pieces.heads.isEmpty, "no head", seen: "one")
    guard let error = pieces.failure else {
      throw TransportViolation(expected: "the same fault in pieces", seen: "none")
    }
    let second = try self.fault(in: error, "in pieces")
    try expect(Self.isSame(second.kind, kind), "\(kind) in pieces", seen: "\(second)")
  }

  /// Whether two kinds are the same; the reason of a TLS failure depends on the library of the
  /// transport.
  private static func isSame(
    _ seen: TransportError.Kind, _ expected: TransportError.Kind
  ) -> Bool {
    if case .tlsFailed = seen, case .tlsFailed = expected { true } else { seen == expected }
  }

  /// Checks a delivery without a response, with a POST so that nothing is repeated.
  func faults(of delivery: MockResponse.Delivery, _ kind: TransportError.Kind) async throws {
    try await inBothForms { try await faults(of: delivery, kind, in: $0) }
  }

  private func faults(
    of delivery: MockResponse.Delivery, _ kind: TransportError.Kind, in form: TrialForm
  ) async throws {
    let server = try serve(nil) { _ in MockResponse(status: 200, delivery: delivery) }
    defer { server.stop() }
    let fault = try await fault(
      of: try request(server, method: "POST", body: Data("x".utf8)), over: try transport(),
      in: form, "\(kind)")
    try expect(fault.kind == kind, "\(kind)", seen: "\(fault.kind): \(fault)")
    try expect(fault.mayHaveBeenProcessed, "may have been processed", seen: "\(fault)")
    try expect(arrived(at: server).count == 1, "one request", seen: "\(arrived(at: server).count)")
  }

  func cut() async throws {
    let body = Self.pattern(100_000)
    let deliveries: [MockResponse.Delivery] = [
      .cut(afterBytes: 50_000), .cut(afterBytes: 0), .chunkedCut([body]),
    ]
    for delivery in deliveries {
      let server = try serve(nil) { _ in
        MockResponse(status: 200, body: body, delivery: delivery)
      }
      defer { server.stop() }
      let transport = try transport()
      let request = try request(server, method: "POST", body: Data("x".utf8))
      let fault = try await fault(of: request, over: transport, "\(delivery)")
      try expect(
        fault.kind == .bodyCut && fault.mayHaveBeenProcessed,
        "bodyCut, which may have been processed", seen: "\(fault.kind): \(fault)")
      let pieces = await TransportPieces(transport.events(for: request))
      guard let error = pieces.failure else {
        throw TransportViolation(expected: "bodyCut in pieces", seen: "an end without a failure")
      }
      let second = try self.fault(in: error, "in pieces")
      try expect(second.kind == .bodyCut, "bodyCut in pieces", seen: "\(second)")
      try expect(
        body.starts(with: pieces.data), "the beginning of the body before it", seen: "other bytes")
    }
  }

  func malformed() async throws {
    try await inBothForms { try await malformed(in: $0) }
  }

  private func malformed(in form: TrialForm) async throws {
    let answers = [
      "garbage without a status line\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    ]
    for answer in answers {
      let fault = try await fault(ofAnswer: answer, in: form)
      try expect(fault.kind == .malformedResponse, "malformedResponse", seen: "\(fault)")
    }
  }

  func twoLengths() async throws {
    try await inBothForms { try await twoLengths(in: $0) }
  }

  private func twoLengths(in form: TrialForm) async throws {
    let fault = try await fault(
      ofAnswer: "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nbody!",
      in: form)
    try expect(fault.kind == .malformedResponse, "malformedResponse", seen: "\(fault)")
  }

  private func fault(
    ofAnswer answer: String, in form: TrialForm
  ) async throws -> TransportError {
    let server = try serve(nil) { _ in
      MockResponse(status: 200, delivery: .raw(Data(answer.utf8)))
    }
    defer { server.stop() }
    return try await fault(
      of: try request(server, method: "POST", body: Data("x".utf8)), over: try transport(),
      in: form, "a response that is not HTTP")
  }

  func noRepeat() async throws {
    try await inBothForms { try await noRepeat(in: $0) }
  }

  private func noRepeat(in form: TrialForm) async throws {
    for (method, body) in [("POST", nil), ("POST", Data("pay".utf8)), ("PATCH", Data("x".utf8))] {
      let server = try serve(nil) { request in
        request.method == "GET"
          ? .text("ok") : MockResponse(status: 200, delivery: .closeBeforeResponse)
      }
      defer { server.stop() }
      let transport = try transport()
      _ = try await response(to: try request(server), over: transport)
      let fault = try await fault(
        of: try request(server, method: method, body: body), over: transport, in: form,
        "a dead connection")
      try expect(fault.mayHaveBeenProcessed, "may have been processed", seen: "\(fault)")
      try expect(
        arrived(at: server).map(\.method) == ["GET", method], "one \(method)",
        seen: "\(arrived(at: server).map(\.method))")
    }
  }

  func wholeRepeat() async throws {
    try await inBothForms { try await wholeRepeat(in: $0) }
  }

  private func wholeRepeat(in form: TrialForm) async throws {
    let server = try serve(nil) { request in
      request.connectionID == 0 && request.method == "PUT"
        ? MockResponse(status: 200, delivery: .closeBeforeResponse) : .text("ok")
    }
    defer { server.stop() }
    let transport = try transport()
    let body = Self.pattern(100_000)
    _ = try await response(to: try request(server), over: transport)
    let put = try request(server, method: "PUT", body: body)
    switch await outcome(of: put, over: transport, in: form) {
    case .success:
      try expect(
        arrived(at: server).dropFirst().allSatisfy { $0.body == body }, "the whole body each time",
        seen: "\(arrived(at: server).map(\.body.count)) bytes")
    case .failure(let error):
      let fault = try fault(in: error, "a dead connection")
      try expect(fault.mayHaveBeenProcessed, "may have been processed", seen: "\(fault)")
    }
  }

  func secrets() async throws {
    try await inBothForms { try await secrets(in: $0) }
  }

  private func secrets(in form: TrialForm) async throws {
    let server = try serve(nil) { _ in
      MockResponse(status: 200, delivery: .closeBeforeResponse)
    }
    defer { server.stop() }
    let transport = try transport()
    let stopped = try serve(nil, Self.ok)
    stopped.stop()
    for base in [server.baseURL, stopped.baseURL, "http://nowhere.invalid"] {
      var request = try request(base + "/?token=s3cret", method: "POST")
      request.setValue("Bearer s3cret", forHTTPHeaderField: "Authorization")
      if case .failure(let error) = await outcome(of: request, over: transport, in: form) {
        var texts = "\(error)\(String(reflecting: error))\(error.localizedDescription)"
        dump(error, to: &texts)
        try expect(
          !texts.contains("s3cret"), "no secret",
          seen: "the query or a header's value in \(type(of: error))")
      }
    }
  }
}
