import Foundation
import Streams

/// A signed statement that proves that a client holds a private key (RFC 7523).
///
/// Each request gets a new one. A closure signs it, so the key can stay in a key store or a
/// service:
///
/// ```swift
/// let assertion = ClientAssertion(
///   algorithm: "ES256", keyID: "2026-01", audience: "https://id.example.com"
/// ) { bytes in
///   try key.signature(for: bytes).rawRepresentation
/// }
/// ```
///
/// Who has an assertion can show it to the server that its audience names. So a client with the
/// metadata of a server sends no assertion for another server: it fails with
/// ``ClientAssertionError``.
public struct ClientAssertion: Sendable {
  /// The names that an assertion contains (RFC 7523 §3).
  public struct Subject: Sendable, Hashable {
    /// The client's identifier, for `iss` and `sub`.
    public let clientID: String
    /// The server's issuer identifier, for `aud`, or nil if the client does not know it.
    public let issuer: String?
    /// The token endpoint, which some servers expect as `aud`.
    public let tokenEndpoint: String
  }

  /// The issuer identifier of the server that the assertion is made for, if it is known.
  private let issuer: String?
  private let make: @Sendable (Subject) async throws -> String

  /// Creates an assertion whose JWT a closure makes.
  ///
  /// - Parameter make: A closure that returns a signed JWT for the client. The JWT must not have
  ///   been used before. The closure runs in a task for each request. An error that it throws fails
  ///   the request.
  public init(_ make: @escaping @Sendable (Subject) async throws -> String) {
    issuer = nil
    self.make = make
  }

  /// Creates an assertion whose JWT a closure signs.
  ///
  /// - Parameters:
  ///   - algorithm: The name of the signature's algorithm, such as `ES256` (RFC 7518 §3.1).
  ///   - keyID: The identifier of the client's key, or nil if the client has only one key.
  ///   - audience: The intended recipient: the server's issuer identifier
  ///     (draft-ietf-oauth-rfc7523bis §4), or what the server expects instead. With a server's
  ///     metadata, RESTKitSignIn knows it.
  ///   - lifetime: The time for which the JWT is valid.
  ///   - now: A closure that returns the wall clock's time; nil for the system's, and in a test on
  ///     virtual time for the test's.
  ///   - sign: A closure that returns the signature of these bytes in the format of RFC 7518: for
  ///     `ES256`, the 64 bytes of R and S. It runs in a task for each request. An error that it
  ///     throws fails the request.
  public init(
    algorithm: String, keyID: String? = nil, audience: String,
    lifetime: Duration = .seconds(60),
    now: (@Sendable () -> Date)? = nil,
    sign: @escaping @Sendable (Data) async throws -> Data
  ) {
    self.init(
      issuer: nil, algorithm: algorithm, keyID: keyID, audience: audience, lifetime: lifetime,
      now: now ?? KeptTime().wallClock, sign: sign)
  }

  /// - Parameter issuer: The issuer identifier of the only server that may get the assertion, or
  ///   nil.
  package init(
    issuer: String?, algorithm: String, keyID: String?, audience: String, lifetime: Duration,
    now: @escaping @Sendable () -> Date, sign: @escaping @Sendable (Data) async throws -> Data
  ) {
    self.issuer = issuer
    make = { subject in
      let date = now()
      let header = Header(algorithm: algorithm, keyID: keyID)
      let claims = Claims(
        client: subject.clientID, audience: audience, date: date, lifetime: lifetime)
      let content = try "\(Self.part(header)).\(Self.part(claims))"
      return "\(content).\(try await sign(Data(content.utf8)).base64URLText)"
    }
  }

  /// Returns a publisher of one value: the fields of the form (RFC 7521 §4.2).
  ///
  /// - Parameters:
  ///   - subject: The names in the assertion.
  ///   - endpoint: The URL to which the form is sent.
  func fields(for subject: Subject, sentTo endpoint: String) -> Single<[URLQueryItem], any Error> {
    Single { [self] () async throws(any Error) in
      if let issuer, let asked = subject.issuer, issuer != asked {
        throw ClientAssertionError(audience: issuer, endpoint: endpoint)
      }
      let text = try await make(subject)
      if let issuer = subject.issuer {
        try AssertionAudience.check(text, sentTo: endpoint, of: issuer)
      }
      return [
        URLQueryItem(
          name: "client_assertion_type",
          value: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
        URLQueryItem(name: "client_assertion", value: text),
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
      end = Int64(exactly: (seconds + lifetime.inSeconds).rounded(.up)) ?? issued
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
