import Foundation
import RESTKit

extension SignInRefusal {
  /// Returns the error of a request to an authorization server, with the server's texts if it sent
  /// any.
  ///
  /// - Parameters:
  ///   - error: The failure.
  ///   - secrets: The secrets of the request, which no text may repeat.
  static func error(of error: any Error, hiding secrets: [String]) -> any Error {
    switch error {
    case RefreshError.emptyAccessToken:
      return SignInError.malformedResponse("has an empty access token")
    case let error as RESTError:
      guard case .status(let status) = error.kind,
        (200...299).contains(status) || (400...499).contains(status),
        let refusal = error.body.flatMap({ try? JSONDecoder().decode(Self.self, from: $0) })
      else {
        // The server chooses the target of a redirect, and errors show it.
        let text = error.kind == .redirect ? "\(error)" : ""
        guard repeats(secrets, in: text) else { return error }
        return SignInError.malformedResponse("is a redirect that repeats a secret")
      }
      // A rate limit says nothing about the sign-in, unless it uses the codes of RFC 8628.
      let isLimit = error.kind == .status(408) || error.kind == .status(429)
      guard !isLimit || paceCodes.contains(refusal.code) else { return error }
      return SignInError.refused(refusal.hiding(secrets))
    default:
      return error
    }
  }
}

extension SignInRefusal {
  /// The codes for a device that polls before the user has agreed (RFC 8628 §3.5).
  static let paceCodes: Set = ["authorization_pending", "slow_down"]
}
