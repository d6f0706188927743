import Foundation
import RESTKit

extension ClientAssertion {
  /// The recipient that an assertion for a server names.
  public enum Audience: Sendable, Hashable {
    /// The server's issuer identifier, as draft-ietf-oauth-rfc7523bis §4 requires.
    case issuer
    /// The URL of the token endpoint, which RFC 7523 §3 suggests, and which some servers expect.
    case tokenEndpoint
  }

  /// Creates an assertion for a server, whose JWT a closure signs.
  ///
  /// ```swift
  /// let assertion = ClientAssertion(for: server, algorithm: "ES256") { bytes in
  ///   try key.signature(for: bytes).rawRepresentation
  /// }
  /// ```
  ///
  /// A client of another server does not send it, and fails with `ClientAssertionError`.
  ///
  /// - Parameters:
  ///   - server: The server that gets the assertion.
  ///   - algorithm: The name of the signature's algorithm, such as `ES256` (RFC 7518 §3.1).
  ///   - keyID: The identifier of the client's key, or nil if the client has only one key.
  ///   - audience: The recipient that the JWT names. With the token endpoint, no endpoint with
  ///     another origin gets the assertion, except those with the issuer's origin if the token
  ///     endpoint has it, too.
  ///   - lifetime: The time for which the JWT is valid.
  ///   - now: A closure that returns the wall clock's time; nil for the system's, and in a test on
  ///     virtual time for the test's.
  ///   - sign: A closure that returns the signature of these bytes in the format of RFC 7518: for
  ///     `ES256`, the 64 bytes of R and S. It runs in a task for each request. An error that it
  ///     throws fails the request.
  public init(
    for server: AuthorizationServer, algorithm: String, keyID: String? = nil,
    audience: Audience = .issuer, lifetime: Duration = .seconds(60),
    now: (@Sendable () -> Date)? = nil,
    sign: @escaping @Sendable (Data) async throws -> Data
  ) {
    let name =
      switch audience {
      case .issuer: server.issuer
      case .tokenEndpoint: server.tokenEndpoint
      }
    self.init(
      issuer: server.issuer, algorithm: algorithm, keyID: keyID, audience: name,
      lifetime: lifetime, now: now ?? KeptTime().wallClock, sign: sign)
  }
}
