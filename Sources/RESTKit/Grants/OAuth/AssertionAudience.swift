import Foundation

/// The reason why a client's assertion was not sent: it is for another server.
public struct ClientAssertionError: Error, Sendable, Hashable {
  /// The recipient that the assertion names.
  public let audience: String
  /// The URL to which it would have been sent.
  public let endpoint: String
}

extension ClientAssertionError: CustomStringConvertible {
  public var description: String {
    "The client's assertion is for \(audience), and was not sent to \(endpoint), a place of "
      + "another server. Make the assertion for the server of the client, or correct its audience."
  }
}

/// The recipients that a signed assertion names (RFC 7519 §4.1.3).
///
/// A server's metadata may name endpoints of another server, to get an assertion that is for that
/// one (draft-ietf-oauth-rfc7523bis §1.1).
enum AssertionAudience {
  /// Checks that an assertion is for the server that gets it.
  ///
  /// A recipient is that server's if it has the origin of the endpoint or of the issuer. One that
  /// is no URL says nothing about a place, and passes.
  ///
  /// - Parameters:
  ///   - assertion: The JWT. A text that is none passes.
  ///   - endpoint: The URL to which it is sent.
  ///   - issuer: The server's issuer identifier.
  static func check(
    _ assertion: String, sentTo endpoint: String, of issuer: String
  ) throws(ClientAssertionError) {
    let own = [endpoint, issuer].compactMap(origin)
    for audience in names(in: assertion) {
      if let origin = origin(audience), !own.contains(origin) {
        throw ClientAssertionError(audience: audience, endpoint: endpoint)
      }
    }
  }

  private static func origin(_ text: String) -> Origin? {
    guard let url = URL(string: text), url.host != nil,
      ["http", "https"].contains(url.scheme?.lowercased())
    else { return nil }
    return Origin(url)
  }

  private static func names(in assertion: String) -> [String] {
    let parts = assertion.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let content = Data(base64URL: parts[1]),
      let claims = try? JSONDecoder().decode(Claims.self, from: content)
    else { return [] }
    return claims.audiences
  }

  private struct Claims: Decodable {
    let audiences: [String]

    private enum CodingKeys: String, CodingKey {
      case audience = "aud"
    }

    init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      if let one = try? members.decode(String.self, forKey: .audience) {
        audiences = [one]
      } else {
        audiences = try members.decode([String].self, forKey: .audience)
      }
    }
  }
}

extension Data {
  /// Creates bytes from base64url without padding (RFC 4648 §5).
  fileprivate init?(base64URL text: Substring) {
    let plain = text.replacingOccurrences(of: "-", with: "+")
      .replacingOccurrences(of: "_", with: "/")
    self.init(base64Encoded: plain + String(repeating: "=", count: (4 - plain.count % 4) % 4))
  }
}
