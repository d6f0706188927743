import Foundation
import Streams

/// A statement by which a client proves that it holds a private key (RFC 7523), made anew for each request.
///
/// The key belongs to a closure, so that it can stay in a key store or a service:
///
/// ```swift
/// let assertion = ClientAssertion(algorithm: "ES256", keyID: "2026-01") { bytes in
///   try key.signature(for: bytes).rawRepresentation
/// }
/// ```
public struct ClientAssertion: Sendable {
  /// What an assertion has to name (RFC 7523 §3).
  public struct Subject: Sendable, Hashable {
    /// The client's name: `iss` and `sub`.
    public let clientID: String
    /// The token endpoint, which most servers want as `aud`.
    public let tokenEndpoint: String
  }

  private let make: @Sendable (Subject) async throws -> String

  /// An assertion by a closure of your own.
  ///
  /// - Parameter make: Gives a signed JWT for the client, one that was not used before. It runs in a task,
  ///   for each request; what it throws fails the request.
  public init(_ make: @escaping @Sendable (Subject) async throws -> String) {
    self.make = make
  }

  /// An assertion whose JWT is made here, and signed by a closure.
  ///
  /// - Parameters:
  ///   - algorithm: The name of the signature's algorithm, such as `ES256` (RFC 7518 §3.1).
  ///   - keyID: Which of the client's keys it is; nil where there is one.
  ///   - audience: Who is to accept it, such as the server's issuer; nil for the token endpoint.
  ///   - lifetime: How long it is valid.
  ///   - now: The wall clock.
  ///   - sign: Gives the signature of these bytes, in the form of RFC 7518: for `ES256` the 64 bytes of R
  ///     and S. It runs in a task, for each request; what it throws fails the request.
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

  /// The fields of a form (RFC 7521 §4.2): one value.
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
    let issued, end: Int

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
      issued = Int(exactly: seconds) ?? 0
      end = Int(exactly: (seconds + lifetime.timeInterval).rounded(.up)) ?? issued
    }
  }
}
