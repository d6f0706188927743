import Foundation

/// Which answers mean that the token was refused, so that a new one may help.
///
/// It is asked only about answers to requests that carried the session's token, on the thread that
/// delivers them. Of a response in pieces it is asked at the head, without the body, and once more
/// with it where that refuses; an answer that is then none that refuses is a failure of kind `status`
/// all the same. So let a rule about bodies refuse only what it finds there.
public struct RefusalRule: Sendable {
  private let matches: @Sendable (RESTResponse) -> Bool

  /// - Parameter matches: Whether an answer refuses the token.
  public init(_ matches: @escaping @Sendable (RESTResponse) -> Bool) {
    self.matches = matches
  }

  /// 401, with a challenge or without one, unless it says `insufficient_scope` (RFC 6750 §3.1): a
  /// new token would have the same scope.
  public static let unauthorized = RefusalRule { response in
    response.statusCode == 401 && !response.lacksScope
  }

  /// 401 or 403 with the challenge `insufficient_scope`, for a server that widens the scope when it
  /// renews a token.
  public static let insufficientScope = RefusalRule { response in
    (response.statusCode == 401 || response.statusCode == 403) && response.lacksScope
  }

  /// A JSON object, whatever the status, that has one of these codes, as text or as a number.
  ///
  /// - Parameters:
  ///   - codes: The codes, exactly.
  ///   - member: The name of the member that holds the code.
  public static func errorCode(_ codes: Set<String>, in member: String = "error") -> RefusalRule {
    RefusalRule { response in
      let body = try? JSONDecoder().decode([String: Code].self, from: response.data)
      return (body?[member]?.text).map(codes.contains) ?? false
    }
  }

  /// This rule or another.
  public func or(_ other: RefusalRule) -> RefusalRule {
    RefusalRule { matches($0) || other.matches($0) }
  }

  func refuses(_ response: RESTResponse) -> Bool {
    matches(response)
  }

  /// A text or a whole number; any other JSON is no code.
  private struct Code: Decodable {
    let text: String?

    init(from decoder: any Decoder) throws {
      let value = try decoder.singleValueContainer()
      text = (try? value.decode(String.self)) ?? (try? value.decode(Int.self)).map { "\($0)" }
    }
  }
}

extension RESTResponse {
  fileprivate var lacksScope: Bool {
    headers.values(for: "WWW-Authenticate").contains { challenge in
      challenge.contains("error=\"insufficient_scope\"")
        || challenge.contains("error=insufficient_scope")
    }
  }
}
