import Foundation
import RESTKit
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension TransportTrial {
  func statuses() async throws {
    try await inBothForms { try await statuses(in: $0) }
  }

  private func statuses(in form: TrialForm) async throws {
    let server = try serve(nil) { request in
      .text("body", status: Self.status(of: request) ?? 500)
    }
    defer { server.stop() }
    let transport = try transport()
    for status in [200, 201, 299, 400, 403, 404, 409, 418, 429, 500, 503, 599] {
      let request = try request(server, "/\(status)")
      let response = try await response(to: request, over: transport, in: form)
      try expect(response.statusCode == status, "\(status)", seen: "\(response.statusCode)")
      try expect(
        response.data == Data("body".utf8), "the body of a \(status)",
        seen: Self.text(response.data))
      try expect(response.url == request.url, "the URL that answered", seen: "\(response.url)")
      try expect(
        response.headers["content-type"] == "text/plain; charset=utf-8", "the headers",
        seen: "\(response.headers)")
    }
  }

  func headerLines() async throws {
    try await inBothForms { try await headerLines(in: $0) }
  }

  private func headerLines(in form: TrialForm) async throws {
    let server = try serve(nil) { _ in
      MockResponse(
        status: 200,
        headers: [
          ("X-Twice", "one"), ("Set-Cookie", "a=1; Path=/"), ("x-twice", "two, three"),
          ("Set-Cookie", "b=2"), ("X-Empty", ""),
        ])
    }
    defer { server.stop() }
    let headers = try await response(
      to: try request(server), over: try transport(), in: form
    ).headers
    let seen = ["X-Twice", "Set-Cookie", "X-Empty"].map { headers.values(for: $0) }
    try expect(
      seen == [["one", "two, three"], ["a=1; Path=/", "b=2"], [""]], "each line", seen: "\(seen)")
  }

  func bodiless() async throws {
    try await inBothForms { try await bodiless(in: $0) }
  }

  private func bodiless(in form: TrialForm) async throws {
    let server = try serve(nil) { request in
      switch request.path {
      case "/204": MockResponse(status: 204)
      case "/304": MockResponse(status: 304, headers: [("ETag", "\"v1\"")])
      default: .text("body")
      }
    }
    defer { server.stop() }
    let transport = try transport()
    for (method, path) in [("HEAD", "/"), ("GET", "/204"), ("GET", "/304"), ("DELETE", "/204")] {
      let response = try await response(
        to: try request(server, path, method: method), over: transport, in: form)
      try expect(
        response.data.isEmpty, "no body of \(method) \(path)", seen: Self.text(response.data))
      try expect(
        path == "/" || "/\(response.statusCode)" == path, path, seen: "\(response.statusCode)")
      let next = try await self.response(
        to: try request(server, "/next"), over: transport, in: form)
      try expect(
        next.data == Data("body".utf8), "the next response whole", seen: Self.text(next.data))
    }
  }

  func codings() async throws {
    try await inBothForms { try await codings(in: $0) }
  }

  private func codings(in form: TrialForm) async throws {
    let server = try serve(nil) { request in
      switch request.path {
      case "/gzip": Self.packed("gzip", PackedBodies.gzip)
      case "/deflate": Self.packed("deflate", PackedBodies.deflate)
      case "/broken": Self.packed("gzip", Data("not packed at all".utf8))
      default: Self.packed("unheard-of", Data("not packed".utf8))
      }
    }
    defer { server.stop() }
    let transport = try transport()
    for path in ["/gzip", "/deflate", "/broken", "/unheard-of"] {
      switch await outcome(of: try request(server, path), over: transport, in: form) {
      case .success(let response):
        try expect(
          path.hasSuffix("p") || path.hasSuffix("flate"), "a fault for \(path)",
          seen: "a response")
        try expect(
          response.data == PackedBodies.text, "the text of \(path)", seen: Self.text(response.data))
      case .failure(let error):
        let fault = try fault(in: error, path)
        try expect(fault.kind == .undecodableBody, "undecodableBody", seen: "\(fault)")
      }
    }
  }

  func packedCut() async throws {
    try await inBothForms { try await packedCut(in: $0) }
  }

  private func packedCut(in form: TrialForm) async throws {
    let server = try serve(nil) { _ in Self.packed("gzip", PackedBodies.gzip.dropLast(9)) }
    defer { server.stop() }
    let fault = try await fault(
      of: try request(server), over: try transport(), in: form, "compressed data that end early")
    try expect(
      fault.kind == .bodyCut || fault.kind == .undecodableBody, "bodyCut or undecodableBody",
      seen: "\(fault)")
  }

  private static func packed(_ coding: String, _ data: Data) -> MockResponse {
    MockResponse(status: 200, headers: [("Content-Encoding", coding)], body: data)
  }

  func redirects() async throws {
    try await inBothForms { try await redirects(in: $0) }
  }

  private func redirects(in form: TrialForm) async throws {
    let server = try serve(nil) { request in
      MockResponse(
        status: Self.status(of: request) ?? 200, headers: [("Location", "/200")])
    }
    defer { server.stop() }
    let transport = try transport()
    for status in [301, 302, 303, 307, 308] {
      for method in ["GET", "POST"] {
        let response = try await response(
          to: try request(server, "/\(status)", method: method), over: transport, in: form)
        try expect(response.statusCode == status, "\(status)", seen: "\(response.statusCode)")
        try expect(
          response.headers["Location"] == "/200", "its Location", seen: "\(response.headers)")
      }
    }
    try expect(
      !arrived(at: server).contains { $0.path == "/200" }, "no second request",
      seen: "one to the Location")
  }

  func challenges() async throws {
    try await inBothForms { try await challenges(in: $0) }
  }

  private func challenges(in form: TrialForm) async throws {
    let server = try serve(nil) { request in
      MockResponse(
        status: request.path == "/proxy" ? 407 : 401,
        headers: [
          ("WWW-Authenticate", "Basic realm=\"r\""), ("Proxy-Authenticate", "Basic realm=\"r\""),
        ],
        body: Data("who?".utf8))
    }
    defer { server.stop() }
    let transport = try transport()
    for (path, status) in [("/", 401), ("/proxy", 407)] {
      let response = try await response(
        to: try request(server, path, method: "POST", body: Data("x".utf8)), over: transport,
        in: form)
      try expect(response.statusCode == status, "\(status)", seen: "\(response.statusCode)")
      try expect(
        response.data == Data("who?".utf8), "its body", seen: Self.text(response.data))
    }
    try expect(
      arrived(at: server).count == 2, "one request for each", seen: "\(arrived(at: server).count)")
  }

  func cookies() async throws {
    let server = try serve(nil) { _ in
      MockResponse(status: 200, headers: [("Set-Cookie", "session=1; Path=/")])
    }
    defer { server.stop() }
    try await ofTwoTransports { transport, form in
      _ = try await response(to: try request(server), over: transport, in: form)
      try expect(
        arrived(at: server).allSatisfy { $0.value(for: "Cookie") == nil }, "no Cookie",
        seen: "the server's cookie in a later request")
    }
  }

  func cache() async throws {
    let server = try serve(nil) { request in
      MockResponse(
        status: 200, headers: [("Cache-Control", "max-age=3600"), ("ETag", "\"v1\"")],
        body: Data("\(request.index)".utf8))
    }
    defer { server.stop() }
    let known = Lock<Set<Data>>([])
    try await ofTwoTransports { transport, form in
      let response = try await response(
        to: try request(server, "/cached"), over: transport, in: form)
      try expect(
        known.withLock { $0.insert(response.data).inserted }, "a fresh response",
        seen: "an earlier one")
      try expect(
        !arrived(at: server).contains { $0.value(for: "If-None-Match") != nil }, "no condition",
        seen: "an If-None-Match that was not asked for")
    }
  }

  /// Calls again and again, in both forms, and then over another transport, which may have what
  /// the first one has left.
  private func ofTwoTransports(
    _ call: (any Transport, TrialForm) async throws -> Void
  ) async throws {
    for _ in 0..<2 {
      let transport = try transport()
      for form in [TrialForm.whole, .whole, .pieces, .pieces, .whole] {
        try await call(transport, form)
      }
    }
  }

  /// The status that the path of a request asks for.
  private static func status(of request: MockRequest) -> Int? {
    UInt16(request.path.dropFirst()).map { Int($0) }
  }
}

/// A text in two content codings.
private enum PackedBodies {
  static let text = Data("hello hello hello".utf8)
  static let gzip = base64("H4sIAAAAAAACA8tIzcnJV8hAkACAiPnlEQAAAA==")
  static let deflate = base64("eNrLSM3JyVfIQJAAOi4GfQ==")

  private static func base64(_ text: String) -> Data { Data(base64Encoded: text) ?? Data() }
}
