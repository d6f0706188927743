import Foundation
import Streams

/// A signed statement that proves that a client holds a private key (RFC 7523).
///
/// Each request gets a new one. A closure signs it, so the key can stay in a key store or a
/// service:
///
/// ```swift
/// let assertion = ClientAssertion(algorithm: "ES256", keyID: "2026-01") { bytes in
///   try key.signature(for: bytes).rawRepresentation
/// }
/// ```
public struct ClientAssertion: Sendable {
  /// The names that an assertion contains (RFC 7523 §3).
  public struct Subject: Sendable, Hashable {
    /// The client's identifier, for `iss` and `sub`.
    public let clientID: String
    /// The token endpoint, which most servers expect as `aud`.
    public let tokenEndpoint: String
  }

  private let make: @Sendable (Subject) async throws -> String

  /// Creates an assertion whose JWT a closure makes.
  ///
  /// - Parameter make: A closure that returns a signed JWT for the client. The JWT must not have
  ///   been used before. The closure runs in a task for each request. An error that it throws fails
  ///   the request.
  public init(_ make: @escaping @Sendable (Subject) async throws -> String) {
    self.make = make
  }

  /// Creates an assertion whose JWT a closure signs.
  ///
  /// - Parameters:
  ///   - algorithm: The name of the signature's algorithm, such as `ES256` (RFC 7518 §3.1).
  ///   - keyID: The identifier of the client's key, or nil if the client has only one key.
  ///   - audience: The intended recipient, such as the server's issuer, or nil for the token
  ///     endpoint.
  ///   - lifetime: The time for which the JWT is valid.
  ///   - now: A closure that returns the wall clock's time.
  ///   - sign: A closure that returns the signature of these bytes in the format of RFC 7518: for
  ///     `ES256`, the 64 bytes of R and S. It runs in a task for each request. An error that it
  ///     throws fails the request.
  public init(
    algorithm: String, keyID: String? = nil, audience: String? = nil,
    lifetime: Duration = .seconds(60), now: @escaping @Sendable () -> Date = { Date() },
    sign: @escaping @Sendable (Data) async throws -> Data
  ) {
    make = { subject in
      let date = now()
      let header = Header(algorithm: algorithm, keyID: keyID)
      let claims = Claims(
        client: subject.clientID, audience: audience ?? subject.tokenEndpoint, date: date,
        lifetime: lifetime)
      let content = try "\(Self.part(header)).\(Self.part(claims))"
      return "\(content).\(try await sign(Data(content.utf8)).base64URLText)"
    }
  }

  /// Returns a publisher of one value: the fields of the form (RFC 7521 §4.2).
  func fields(client: String, tokenEndpoint: String) -> Single<[URLQueryItem], any Error> {
    let subject = Subject(clientID: client, tokenEndpoint: tokenEndpoint)
    return Single { [make] () async throws(any Error) in
      [
        URLQueryItem(
          name: "client_assertion_type",
          value: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
        URLQueryItem(name: "client_assertion", value: try await make(subject)),
      ]
    }
  }

  private static func part(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(value).base64URLText
  }

  private struct Header: Encodable {
    let algorithm: String
    let keyID: String?
    let type = "JWT"

    enum CodingKeys: String, CodingKey {
      case algorithm = "alg"
      case keyID = "kid"
      case type = "typ"
    }
  }

  private struct Claims: Encodable {
    let issuer, subject, audience, id: String
    let issued, end: Int64

    enum CodingKeys: String, CodingKey {
      case issuer = "iss"
      case subject = "sub"
      case audience = "aud"
      case id = "jti"
      case issued = "iat"
      case end = "exp"
    }

    init(client: String, audience: String, date: Date, lifetime: Duration) {
      issuer = client
      subject = client
      self.audience = audience
      id = Data.random(byteCount: 16).base64URLText
      let seconds = date.timeIntervalSince1970.rounded(.down)
      issued = Int64(exactly: seconds) ?? 0
      end = Int64(exactly: (seconds + lifetime.timeInterval).rounded(.up)) ?? issued
    }
  }
}

extension Data {
  /// Returns bytes of the system's generator, which is suitable for keys.
  package static func random(byteCount: Int) -> Data {
    var generator = SystemRandomNumberGenerator()
    return Data((0..<byteCount).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
  }

  /// The bytes in base64url without padding (RFC 4648 §5, RFC 7515 §2).
  package var base64URLText: String {
    base64EncodedString().replacingOccurrences(of: "+", with: "-")
      .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
  }
}
