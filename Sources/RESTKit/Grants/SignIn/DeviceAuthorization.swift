import Foundation

/// What a user has to do to sign a device in (RFC 8628 §3.2): open a page elsewhere, and enter a code.
public struct DeviceAuthorization: Sendable, Hashable {
  /// What the user enters.
  public let userCode: String
  /// The page to open: short enough to be typed.
  public let verificationURI: URL
  /// The page with the code in it, for a QR code or a link; nil where the server has none.
  public let completeVerificationURI: URL?
  /// How long the user has, from when the server was asked.
  public let lifetime: Duration
}

extension DeviceAuthorization: CustomStringConvertible {
  /// What to tell the user: the page to open, and the code to enter there.
  public var description: String { "Open \(verificationURI) and enter \(userCode)." }
}

/// The answer of a device authorization endpoint.
struct DeviceAnswer: Decodable {
  let authorization: DeviceAuthorization
  /// What the device shows to the server, and to nobody else.
  let deviceCode: String
  let interval: Duration

  private enum CodingKeys: String, CodingKey {
    case deviceCode = "device_code"
    case userCode = "user_code"
    case verificationURI = "verification_uri"
    // As it was called in drafts, and still is by some servers.
    case verificationURL = "verification_url"
    case completeVerificationURI = "verification_uri_complete"
    case lifetime = "expires_in"
    case interval
  }

  init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    deviceCode = try members.decode(String.self, forKey: .deviceCode)
    let userCode = try members.decode(String.self, forKey: .userCode)
    guard !deviceCode.isEmpty else { throw SignInError.malformedAnswer("has an empty device_code") }
    // It is shown on a terminal, where control characters are commands.
    guard !userCode.isEmpty, SignInRefusal.isPlain(userCode) else {
      throw SignInError.malformedAnswer("has a user_code that cannot be shown")
    }
    let page =
      try members.decodeIfPresent(String.self, forKey: .verificationURI)
      ?? members.decode(String.self, forKey: .verificationURL)
    let completePage = try members.decodeIfPresent(String.self, forKey: .completeVerificationURI)
    guard
      let lifetime = try members.decodeIfPresent(TokenLifetime.self, forKey: .lifetime)?.duration
    else { throw SignInError.malformedAnswer("has no expires_in") }
    authorization = DeviceAuthorization(
      userCode: userCode, verificationURI: try Self.url(page, "verification_uri"),
      completeVerificationURI: try completePage.map {
        try Self.url($0, "verification_uri_complete")
      },
      lifetime: lifetime)
    let interval = try? members.decodeIfPresent(TokenLifetime.self, forKey: .interval)
    // Whoever errs by a factor of a thousand is not to be asked a thousand times a second.
    self.interval = max(.seconds(1), interval?.duration ?? .seconds(5))
  }

  /// A page that a user is told to open: never a `javascript:` or a `file:` URL.
  private static func url(_ text: String, _ name: String) throws -> URL {
    let place = try ServerURL(text, name: name)
    return try place.url(adding: [], name: name)
  }
}
