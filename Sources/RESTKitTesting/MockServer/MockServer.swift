import Foundation
import Synchronization

/// A scripted HTTP/1.1 server on 127.0.0.1, for tests and examples that want real sockets.
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
/// It keeps connections alive, reads bodies with a length and chunked ones (trailer fields are
/// read and dropped), and answers `Expect: 100-continue`. A request that is malformed, or whose
/// head is past 1 MiB, gets a 400 that says why, is not in the journal, and ends its connection.
/// How a response fails on the wire is its ``MockResponse/delivery``.
///
/// A client that closes, or only shuts down its sending side, while it waits for an answer counts
/// as gone. Not offered: TLS, HTTP/2, upgrades, IPv6.
///
/// Follows RFC 9112 (messages, framing, persistence).
public final class MockServer: Sendable {
  /// Answers one request.
  ///
  /// Called on the thread of the request's connection, with no lock held; requests of different
  /// connections run at the same time.
  public typealias Handler = @Sendable (MockRequest) -> MockResponse

  /// Answers a request whose head has come and whose body has not, or waits for the body: nil.
  ///
  /// The request's body is empty, and its index the number of requests that were read whole. Called as
  /// a ``Handler`` is.
  public typealias EarlyHandler = @Sendable (MockRequest) -> MockResponse?

  /// The port it listens on.
  public let port: UInt16

  private let core: MockServerCore

  /// Starts to listen; connections are accepted by the time this returns.
  ///
  /// - Parameters:
  ///   - port: The port to take, or 0 to let the system pick a free one.
  ///   - early: Looks first at each request that has a body, before that is read. What it answers
  ///     goes out at once; the body is read behind it, and asks for no other answer. Where the answer
  ///     ends the connection, the server still reads until the client closes, so that the answer
  ///     arrives.
  ///   - handler: Answers each request.
  /// - Throws: ``MockServerError/cannotStart(step:reason:)`` when the port is taken or the
  ///   process is out of descriptors.
  public init(
    port: UInt16 = 0, early: EarlyHandler? = nil, handler: @escaping Handler
  ) throws(MockServerError) {
    core = try MockServerCore(port: port, early: early, handler: handler)
    self.port = core.port
    core.start()
  }

  deinit {
    core.stop()
  }

  /// The address to give to clients: `http://127.0.0.1:` and the port, without a final slash.
  public var baseURL: String { "http://127.0.0.1:\(port)" }

  /// Every request that was read whole, in order of arrival.
  ///
  /// A request is here before its handler runs.
  public var requests: [MockRequest] { core.journal.requests }

  /// How many connections were accepted so far; their ids are 0 up to this number.
  public var connectionCount: Int { core.journal.connectionCount }

  /// Closes the listening socket and every connection, and waits for the server's threads.
  ///
  /// Calls after the first do nothing more. A handler that still runs is not waited for: its
  /// connection is closed under it and its answer goes nowhere. May be called from a handler.
  public func stop() {
    core.stop()
  }

  /// Suspends until `count` requests have arrived.
  ///
  /// - Returns: The first `count` requests.
  /// - Throws: ``MockServerError/stopped`` when the server stops before that, or
  ///   `CancellationError`.
  @discardableResult
  public func received(_ count: Int) async throws -> [MockRequest] {
    try await core.journal.wait(for: .requests(count))
    return Array(requests.prefix(count))
  }

  /// Suspends until the connection with this id is closed, by either side.
  ///
  /// A connection is seen to be closed when the server waits on it: for the next request, for a
  /// gate, in ``MockResponse/Delivery/hang``, or for room to send.
  ///
  /// - Parameter id: A ``MockRequest/connectionID``, or the id of a connection yet to come.
  /// - Returns: Which side ended it. What ``stop()`` closes was ended by the server.
  /// - Throws: ``MockServerError/stopped`` when the server stopped without ever having had that
  ///   connection, or `CancellationError`.
  @discardableResult
  public func connectionClosed(_ id: Int) async throws -> MockConnectionEnd {
    try await core.journal.wait(for: .end(of: id))
    return core.journal.end(of: id) ?? .server
  }
}
