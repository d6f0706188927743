import Foundation
import Synchronization

/// A scripted HTTP/1.1 server on 127.0.0.1, for tests and examples that need real sockets.
///
/// ```swift
/// let server = try MockServer { request in
///   switch (request.method, request.path) {
///   case ("GET", "/me"): .json(#"{"name":"Ada"}"#)
///   default: MockResponse(status: 404)
///   }
/// }
/// defer { server.stop() }
/// let api = Service(baseURL: server.baseURL)
/// ```
///
/// The server keeps connections alive, reads bodies with a length and chunked bodies (it drops
/// trailer fields), and answers `Expect: 100-continue`. A request that breaks a rule of RFC 9112,
/// such as one without a `Host`, or with a head over 1 MiB, gets a 400 that gives the reason. A
/// transfer coding that the server does not know gets a 501. Such a request is not in
/// ``requests``, and its connection ends. A response's ``MockResponse/delivery`` says how it fails
/// on the wire.
///
/// A client that closes, or only shuts down its sending side, while it waits for a response counts
/// as gone. The server does not support TLS, HTTP/2, upgrades and IPv6.
///
/// It follows RFC 9112 (messages, framing, persistence).
public final class MockServer: Sendable {
  /// A closure that answers one request.
  ///
  /// It runs on the thread of the request's connection, with no lock held. Requests of different
  /// connections run at the same time.
  public typealias Handler = @Sendable (MockRequest) -> MockResponse

  /// A closure that answers a request after its head, or returns nil to wait for the body.
  ///
  /// The request's body is empty, and its index is the number of requests that were read
  /// completely. The closure runs as a ``Handler`` does.
  public typealias EarlyHandler = @Sendable (MockRequest) -> MockResponse?

  /// The port it listens on.
  public let port: UInt16

  private let core: MockServerCore

  /// Creates a server and starts to listen; it accepts connections when this returns.
  ///
  /// - Parameters:
  ///   - port: The port, or 0 for a free port that the system chooses.
  ///   - bodyLimit: The number of bytes that ``requests`` keeps of all bodies together; by default
  ///     16 MiB. Handlers get whole bodies nevertheless.
  ///   - early: A closure that gets each request with a body first, before its body is read. Its
  ///     response is sent at once. The server then reads the body and sends no other response. If
  ///     the response ends the connection, the server still reads until the client closes, so that
  ///     the response arrives.
  ///   - handler: The closure that answers each request.
  /// - Throws: ``MockServerError/cannotStart(step:reason:)`` if the port is taken or the process
  ///   has no descriptor left.
  public init(
    port: UInt16 = 0, bodyLimit: Int = 16 << 20, early: EarlyHandler? = nil,
    handler: @escaping Handler
  ) throws(MockServerError) {
    core = try MockServerCore(port: port, bodyLimit: bodyLimit, early: early, handler: handler)
    self.port = core.port
    core.start()
  }

  deinit {
    core.stop()
  }

  /// The base URL for clients, `http://127.0.0.1:` and the port, without a final slash.
  public var baseURL: String { "http://127.0.0.1:\(port)" }

  /// All requests that were read completely, in order of arrival.
  ///
  /// A request is in the list before its handler runs. Beyond the server's `bodyLimit`, bodies are
  /// cut: ``MockRequest/bodyLength`` is then more than ``MockRequest/body`` has.
  public var requests: [MockRequest] { core.journal.requests }

  /// Empties ``requests``, and makes room for bodies.
  ///
  /// The indices of later requests begin at 0 again, and ``received(_:)`` counts only these. Call
  /// it on any thread. Connections and running handlers are not affected.
  public func forgetRequests() {
    core.journal.forgetRequests()
  }

  /// The number of accepted connections so far; their ids start at 0.
  public var connectionCount: Int { core.journal.connectionCount }

  /// Closes the listening socket and every connection, and waits for the server's threads.
  ///
  /// Calls after the first do nothing. The server does not wait for a running handler: it closes
  /// the handler's connection, and the response is lost. A handler may call this method.
  public func stop() {
    core.stop()
  }

  /// Suspends until `count` requests have arrived, or are in ``requests`` since they were
  /// forgotten.
  ///
  /// - Returns: The first `count` requests.
  /// - Throws: ``MockServerError/stopped`` if the server stops before that, or `CancellationError`.
  @discardableResult
  public func received(_ count: Int) async throws -> [MockRequest] {
    try await core.journal.wait(for: .requests(count))
    return Array(requests.prefix(count))
  }

  /// Suspends until either side has closed the connection with this id.
  ///
  /// The server notices a close while it waits on the connection: for the next request, for a gate,
  /// in ``MockResponse/Delivery/hang``, or for room to send.
  ///
  /// - Parameter id: A ``MockRequest/connectionID``, or the id of a future connection.
  /// - Returns: The side that ended the connection. ``stop()`` counts as the server.
  /// - Throws: ``MockServerError/stopped`` if the server stopped without such a connection, or
  ///   `CancellationError`.
  @discardableResult
  public func connectionClosed(_ id: Int) async throws -> MockConnectionEnd {
    try await core.journal.wait(for: .end(of: id))
    return core.journal.end(of: id) ?? .server
  }
}

/// The side that ended a connection to a ``MockServer``.
public enum MockConnectionEnd: Sendable {
  /// The client closed, reset, or shut down its sending side.
  case client
  /// The server closed: a scripted fault, `Connection: close`, a bad request, or a stop.
  case server
}

/// An error of a ``MockServer``.
public enum MockServerError: Error, Equatable, Sendable {
  /// The server could not start to listen: the failed step and the system's reason.
  case cannotStart(step: String, reason: String)
  /// The server stopped before the awaited event.
  case stopped
}

extension MockServerError: CustomStringConvertible, LocalizedError {
  public var description: String {
    switch self {
    case .cannotStart(let step, let reason):
      "MockServer cannot start: \(step) failed: \(reason)"
    case .stopped:
      "MockServer stopped before the awaited event; stop it only after the await returns"
    }
  }

  public var errorDescription: String? { description }
}

extension MockServerError {
  /// Returns the error of the system call that has just failed; reads `errno`.
  static func systemCall(_ step: String) -> MockServerError {
    .cannotStart(step: step, reason: String(cString: strerror(errno)))
  }
}
