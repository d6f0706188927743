/// A server of a trial, as far as the transport reaches it.
protocol TrialServer: Sendable {
  var port: UInt16 { get }
  var baseURL: String { get }
  var requests: [MockRequest] { get }
  var connectionCount: Int { get }

  func stop()

  @discardableResult
  func received(_ count: Int) async throws -> [MockRequest]

  @discardableResult
  func connectionClosed(_ id: Int) async throws -> MockConnectionEnd
}

extension MockServer: TrialServer {}

/// Starts a server of a trial.
typealias TrialServing =
  @Sendable (MockServer.EarlyHandler?, @escaping MockServer.Handler) throws -> any TrialServer
