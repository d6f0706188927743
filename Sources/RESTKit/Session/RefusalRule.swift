import Foundation

/// A rule that decides which responses mean that the token was refused, so that a new token may
/// help.
///
/// As a session's option, it decides about the responses of APIs. As the `finalRefusals` of a
/// grant, it decides about those of the identity server, where a refusal ends the session.
///
/// A session applies it only to responses to requests that carried the session's token, on the
/// thread that delivers the response. For a response in pieces, it applies the rule to the head
/// without a body, and again with the body if the head is a refusal. A response that the second
/// check does not refuse still becomes a failure of kind `status`. A rule about bodies should
/// therefore refuse only what it finds in a body.
public struct RefusalRule: Sendable {
  private let matches: @Sendable (RESTResponse) -> Bool

  /// - Parameter matches: A closure that returns whether a response refuses the token.
  public init(_ matches: @escaping @Sendable (RESTResponse) -> Bool) {
    self.matches = matches
  }

  /// A rule for status 401, with or without a challenge, unless no refresh can meet the challenge:
  /// with `insufficient_scope` (RFC 6750 §3.1), a new token would have the same scope, and with
  /// `insufficient_user_authentication` (RFC 9470 §3), the user has to sign in again.
  ///
  /// Such a response is the result of the call. `HTTPHeaders.challenges` has its parameters.
  public static let unauthorized = RefusalRule { response in
    response.statusCode == 401
      && !response.isChallenged(by: "insufficient_scope", "insufficient_user_authentication")
  }

  /// A rule for status 401 or 403 with the challenge `insufficient_scope`, for a server that widens
  /// the scope when it renews a token.
  public static let insufficientScope = RefusalRule { response in
    (response.statusCode == 401 || response.statusCode == 403)
      && response.isChallenged(by: "insufficient_scope")
  }

  /// Returns a rule for these statuses.
  public static func status(_ codes: Int...) -> RefusalRule {
    RefusalRule { codes.contains($0.statusCode) }
  }

  /// Returns a rule for a JSON object with one of these codes, as a string or a number, with any
  /// status.
  ///
  /// - Parameters:
  ///   - codes: The exact codes.
  ///   - member: The name of the member that contains the code.
  public static func errorCode(_ codes: Set<String>, in member: String = "error") -> RefusalRule {
    RefusalRule { response in
      let body = try? JSONDecoder().decode([String: Code].self, from: response.data)
      return (body?[member]?.text).map(codes.contains) ?? false
    }
  }

  /// Returns a rule that refuses a response if this rule or the other one does.
  public func or(_ other: RefusalRule) -> RefusalRule {
    RefusalRule { matches($0) || other.matches($0) }
  }

  /// Returns a rule that refuses a response if this rule and the other one do.
  public func and(_ other: RefusalRule) -> RefusalRule {
    RefusalRule { matches($0) && other.matches($0) }
  }

  func refuses(_ response: RESTResponse) -> Bool {
    matches(response)
  }

  /// A string or an integer; other JSON is not a code.
  private struct Code: Decodable {
    let text: String?

    init(from decoder: any Decoder) throws {
      let value = try decoder.singleValueContainer()
      text = (try? value.decode(String.self)) ?? (try? value.decode(Int.self)).map { "\($0)" }
    }
  }
}

extension RESTResponse {
  /// Whether a challenge names one of these errors.
  fileprivate func isChallenged(by errors: String...) -> Bool {
    headers.challenges.contains { challenge in challenge.error.map(errors.contains) == true }
  }
}
