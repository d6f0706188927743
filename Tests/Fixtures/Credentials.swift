import RESTKit

extension Credential {
  package static let canaries = Credential(accessToken: "canary-a", refreshToken: "canary-r")

  /// The one with a certain number.
  package static func number(_ number: Int) -> Credential {
    Credential(accessToken: "a-\(number)", refreshToken: "r-\(number)")
  }
}
