import Foundation
import RESTKit
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension TransportTrial {
  func requests() async throws {
    try await inBothForms { try await requests(in: $0) }
  }

  private func requests(in form: TrialForm) async throws {
    let server = try serve(nil) { .text($0.method) }
    defer { server.stop() }
    let transport = try transport()
    let body = Self.pattern(100_000)
    let calls: [(method: String, body: Data?)] = [
      ("GET", nil), ("POST", body), ("HEAD", nil), ("PUT", body), ("PATCH", body),
      ("DELETE", nil), ("OPTIONS", nil), ("QUERY", body), ("GET", nil),
    ]
    for (index, call) in calls.enumerated() {
      var request = try request(server, "/a%20b/c?q=1&q=2", method: call.method, body: call.body)
      request.setValue("call \(index)", forHTTPHeaderField: "X-Call")
      if index == 1 { request.setValue("Bearer abc", forHTTPHeaderField: "Authorization") }
      _ = try await response(to: request, over: transport, in: form)
    }
    let arrived = arrived(at: server)
    try expect(
      arrived.map(\.method) == calls.map(\.method), "\(calls.map(\.method))",
      seen: "\(arrived.map(\.method))")
    for (index, (request, call)) in zip(arrived, calls).enumerated() {
      try expect(
        request.target == "/a%20b/c?q=1&q=2", "the target as it is", seen: request.target)
      try expect(
        request.values(for: "X-Call") == ["call \(index)"], "the header call \(index)",
        seen: "\(request.values(for: "X-Call"))")
      try expect(
        request.values(for: "Authorization") == (index == 1 ? ["Bearer abc"] : []),
        "a header in the call that has it", seen: "another one in call \(index)")
      try expect(
        request.body == call.body ?? Data(), "the body of \(call.method)",
        seen: "\(request.body.count) bytes, or other ones")
      guard call.body != nil else { continue }
      try expect(
        request.values(for: "Content-Length") == ["\(body.count)"]
          && request.value(for: "Transfer-Encoding") == nil,
        "a body in memory announced by its length", seen: "\(request.headers.map(\.name))")
    }
  }

  func refusals() async throws {
    let server = try serve(nil, Self.ok)
    defer { server.stop() }
    let transport = try transport()
    for refusal in try Self.refusals(at: server.baseURL, request: request) {
      for form in TrialForm.allCases {
        let fault = try await fault(of: refusal.request, over: transport, in: form, refusal.part)
        try expect(
          fault.kind == refusal.kind && !fault.mayHaveBeenProcessed,
          "\(refusal.kind) for \(refusal.part), not processed", seen: "\(fault)")
        try expect(
          fault.detail.contains(refusal.part), "a detail that names \(refusal.part)",
          seen: "the detail: \(fault.detail)")
        try expect(!"\(fault)".contains("s3cret"), "no secret in the text", seen: "\(fault)")
      }
    }
    try expect(server.connectionCount == 0, "no connection", seen: "\(server.connectionCount)")
  }

  private typealias Refusal = (request: URLRequest, kind: TransportError.Kind, part: String)

  private static func refusals(
    at baseURL: String, request: (String, String, Data?) throws -> URLRequest
  ) throws -> [Refusal] {
    func with(_ name: String, _ value: String) throws -> URLRequest {
      var request = try request(baseURL, "GET", nil)
      request.setValue(value, forHTTPHeaderField: name)
      return request
    }
    let userInfo = baseURL.replacingOccurrences(of: "http://", with: "http://u:s3cret@")
    return [
      (try request(baseURL, "GET /x HTTP/1.1\r\nX: y\r\n\r\nGET", nil), .invalidRequest, "method"),
      (try request(baseURL, "CONNECT", nil), .invalidRequest, "CONNECT"),
      (try request(baseURL, "HEAD", Data("x".utf8)), .invalidRequest, "HEAD"),
      (try with("X-B\r\nInjected", "yes"), .invalidRequest, "X-B"),
      (try with("X-C", "s3cret\r\n\tInjected: z"), .invalidRequest, "X-C"),
      (try with("content-length", "3"), .invalidRequest, "ontent-"),
      (try with("Transfer-Encoding", "chunked"), .invalidRequest, "Transfer-Encoding"),
      (try with("Host", "evil.example"), .invalidRequest, "Host"),
      (try with("Connection", "close"), .invalidRequest, "Connection"),
      (try request(userInfo, "GET", nil), .unsupportedURL, "user info"),
      (try request("ftp://127.0.0.1/", "GET", nil), .unsupportedURL, "http"),
    ]
  }

  func laziness() async throws {
    let server = try serve(nil) { .text($0.path) }
    defer { server.stop() }
    let transport = try transport()
    let publisher = transport.response(for: try request(server, "/later"))
    let events = transport.events(for: try request(server, "/later"))
    _ = try await response(to: try request(server, "/now"), over: transport)
    try expect(
      arrived(at: server).map(\.path) == ["/now"], "nothing of what nobody subscribed to",
      seen: "\(arrived(at: server).map(\.path))")
    _ = try await publisher.value
    _ = try await publisher.value
    _ = await TransportPieces(events)
    try expect(
      arrived(at: server).map(\.path) == ["/now", "/later", "/later", "/later"],
      "one exchange for each subscription", seen: "\(arrived(at: server).map(\.path))")
  }
}
