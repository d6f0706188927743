import Foundation
import RESTKit
import RESTKitTesting
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// An event of a call, and its outcome on each transport.
struct OutcomeCase: Sendable {
  /// Where the call goes.
  enum Place: Sendable {
    /// A separate server that sends this response.
    case mock(MockResponse)
    /// A separate server that sends these bytes and closes.
    case bytes(String)
    /// A separate server that has sent one response, then these bytes, and has closed.
    case late(String)
    /// A separate server that returns the request line and the body's description.
    case mirror
    case httpbin(String)
    case peer(Peer, String)
    case address(String)
    /// As `bytes`. URLSession on Linux would end the process, so it is not tried there.
    case onlyCurl(String)
  }

  /// What to expect of URLSession on Apple's systems.
  ///
  /// It comes from Apple's documentation, from the RFCs and from checks of RESTKit's own, which run
  /// before Foundation or behind it. Nobody has seen it.
  enum OnApple: Sendable {
    /// The outcome of `CurlTransport`.
    case same
    case other(String)
    /// Nothing of the above says it.
    case open

    var words: String {
      switch self {
      case .same: "the same"
      case .other(let words): words
      case .open: "open"
      }
    }
  }

  let name: String
  let place: Place
  var method = HTTPMethod.get
  var body: Data?
  var fields: [String: String] = [:]
  var seconds: TimeInterval = 10
  /// Header fields of the response that belong to the outcome.
  var shown: [String] = []
  /// Why the transports differ; nil where they must not.
  var reason: String?
  var apple = OnApple.same

  /// Returns the transport's outcome in words.
  func outcome(through kind: TransportKind) async throws -> String {
    switch place {
    case .mock(let response):
      try await served(through: kind) { _ in response }
    case .bytes(let text):
      try await served(through: kind) { _ in Self.raw(text) }
    case .late(let text):
      try await outcome(behind: text, kind)
    case .mirror:
      try await served(through: kind) { request in
        let framing = ["Content-Length", "Transfer-Encoding"].compactMap { name in
          request.value(for: name).map { "\(name): \($0)" }
        }
        return .text(([request.method] + framing).joined(separator: ", "))
      }
    case .httpbin(let path):
      try await outcome(at: Httpbin.address ?? "", path, kind)
    case .peer(let peer, let path):
      try await outcome(at: peer.text, path, kind)
    case .address(let address):
      try await outcome(at: address, "x", kind)
    case .onlyCurl(let text):
      kind.isURLSessionOnLinux
        ? "the process ends" : try await served(through: kind) { _ in Self.raw(text) }
    }
  }

  /// Whether this process has the server that it needs.
  var needsNoPeer: Bool {
    switch place {
    case .httpbin, .peer: false
    // With a reason of its own for each peer's address.
    case .address: !name.hasPrefix("https")
    default: true
    }
  }

  private static func raw(_ text: String) -> MockResponse {
    // Escapes stand for bytes, which need not be UTF-8.
    let bytes = text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    return MockResponse(status: 200, delivery: .raw(Data(bytes)))
  }

  private func served(
    through kind: TransportKind, handler: @escaping MockServer.Handler
  ) async throws -> String {
    let server = try MockServer(handler: handler)
    defer { server.stop() }
    return try await outcome(at: server.baseURL, "x", kind)
  }

  private func outcome(behind text: String, _ kind: TransportKind) async throws -> String {
    let peer = try RawPeer { visit in
      visit.target == "/first"
        ? [.send(RawPeer.answer("first")), .wait, .send(Array(text.utf8)), .tell]
        : [.send(RawPeer.answer("ok")), .keep]
    }
    defer { peer.stop() }
    let transport = try kind.makeTransport()
    _ = try await PeerAPI(peer.address, transport).get(endpoint: "first").value
    peer.go()
    await peer.ended()
    return try await outcome(at: peer.address, "x", through: transport)
  }

  private func outcome(
    at address: String, _ path: String, _ kind: TransportKind
  ) async throws -> String {
    try await outcome(at: address, path, through: kind.makeTransport())
  }

  private func outcome(
    at address: String, _ path: String = "x", through transport: any Transport
  ) async throws -> String {
    let api = PeerAPI(address, transport, redirects: .never)
    do {
      let response = try await api.request(method, endpoint: path, body: body.map { .data($0) }) {
        request in
        var request = request
        request.timeoutInterval = seconds
        for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
        return request
      }.value
      return words(for: response)
    } catch let error as RESTError {
      return Self.words(for: error)
    }
  }

  private func words(for response: RESTResponse) -> String {
    var words = ["\(response.statusCode)"]
    if case .mirror = place {
      words = [String(decoding: response.data, as: UTF8.self)]
    } else {
      words.append(response.data.isEmpty ? "no body" : "\(response.data.count) bytes")
    }
    for name in shown {
      words.append("\(name) \(response.headers.values(for: name))")
    }
    return words.joined(separator: ", ")
  }

  private static func words(for error: RESTError) -> String {
    guard let fault = error.underlyingError as? TransportError else { return "\(error.kind)" }
    let kind = "\(fault.kind)"
      .replacingOccurrences(of: "HTTPWire.TransportError.TLSReason.", with: ".")
      .replacingOccurrences(of: "HTTPWire.TransportError.Limit.", with: ".")
    return "`.\(kind)`" + (fault.mayHaveBeenProcessed ? "" : ", not processed")
  }
}
