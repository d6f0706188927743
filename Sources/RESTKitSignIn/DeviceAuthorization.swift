import Foundation
import RESTKit

/// The instructions for a user who signs a device in (RFC 8628 §3.2): a page to open on another
/// device, and a code to enter there.
public struct DeviceAuthorization: Sendable, Hashable {
  /// The code that the user enters.
  public let userCode: String
  /// The URL of the page to open, short enough to type.
  public let verificationURI: URL
  /// The page's URL with the code in it, for a QR code or a link, or nil if the server sent none.
  public let completeVerificationURI: URL?
  /// The time that the user has, measured from the request for the code.
  public let lifetime: Duration
}

extension DeviceAuthorization: CustomStringConvertible {
  /// A sentence for the user, with the page to open and the code to enter there.
  public var description: String { "Open \(verificationURI) and enter \(userCode)." }
}

/// The response of a device authorization endpoint.
struct DeviceResponse: Decodable {
  let authorization: DeviceAuthorization
  /// The code that the device sends to the server and shows to nobody.
  let deviceCode: String
  let interval: Duration

  private enum CodingKeys: String, CodingKey {
    case deviceCode = "device_code"
    case userCode = "user_code"
    case verificationURI = "verification_uri"
    // The name in drafts of the standard, which some servers still use.
    case verificationURL = "verification_url"
    case completeVerificationURI = "verification_uri_complete"
    case lifetime = "expires_in"
    case interval
  }

  init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    deviceCode = try members.decode(String.self, forKey: .deviceCode)
    let userCode = try members.decode(String.self, forKey: .userCode)
    guard !deviceCode.isEmpty else {
      throw SignInError.malformedResponse("has an empty device_code")
    }
    // The code is shown on a terminal, where control characters are commands.
    guard !userCode.isEmpty, SignInRefusal.isPlain(userCode) else {
      throw SignInError.malformedResponse("has a user_code that cannot be shown")
    }
    let page =
      try members.decodeIfPresent(String.self, forKey: .verificationURI)
      ?? members.decode(String.self, forKey: .verificationURL)
    let completePage = try members.decodeIfPresent(String.self, forKey: .completeVerificationURI)
    guard
      let lifetime = try members.decodeIfPresent(TokenLifetime.self, forKey: .lifetime)?.duration
    else { throw SignInError.malformedResponse("has no expires_in") }
    authorization = DeviceAuthorization(
      userCode: userCode, verificationURI: try Self.url(page, "verification_uri"),
      completeVerificationURI: try completePage.map {
        try Self.url($0, "verification_uri_complete")
      },
      lifetime: lifetime)
    let interval = try? members.decodeIfPresent(TokenLifetime.self, forKey: .interval)
    // A server that confuses milliseconds with seconds must not get a thousand requests a second.
    self.interval = max(.seconds(1), interval?.duration ?? .seconds(5))
  }

  /// Returns the URL of a page for the user, which is never a `javascript:` or a `file:` URL.
  private static func url(_ text: String, _ name: String) throws -> URL {
    let place = try ServerURL(text, name: name)
    return try place.url(adding: [], name: name)
  }
}

extension DeviceResponse: LibraryResponse {
  static var remedy: String {
    "Check the device authorization endpoint's response: RFC 8628, section 3.2, defines it."
  }
}
