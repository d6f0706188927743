import Foundation
public import RESTKit

/// What an app of Matrix does about a failure.
public enum MatrixFailure: APIFailure {
  /// The server refused, in Matrix's own words, or asks the user first.
  case refused(MatrixError, any Error)
  /// The user has to sign in again; after a soft sign-out as the same device.
  case signedOut(soft: Bool)
  /// No connection, an answer of another shape, a cancelled task and the like.
  case call(any Error)

  public init(_ error: any Error) {
    let words = MatrixError(in: error)
    switch error {
    case let failure as MatrixFailure: self = failure
    case TokenSessionError.signedOut, TokenSessionError.refreshRefused:
      self = .signedOut(soft: words?.softLogout ?? false)
    default: self = words.map { .refused($0, error) } ?? .call(error)
    }
  }

  init(_ cause: TokenSession.SignOutCause) {
    self = .signedOut(soft: false)
    if case .refused(let error) = cause { self = .init(TokenSessionError.refreshRefused(error)) }
  }
}

/// The body of every refusal of a homeserver.
public nonisolated struct MatrixError: Decodable, Equatable, Sendable {
  /// `M_…`; nil in the first question of user-interactive auth.
  public let errcode: String?
  public let error: String?
  public let retryAfterMs: Int?
  public let softLogout: Bool?
  /// What the server asks of the user before it does something dangerous, and the question's key.
  public let flows: [JSONValue]?
  public let session: String?

  /// Finds the server's words in the error of a call or of a session.
  public init?(in error: any Error) {
    let cause = (error as? TokenSessionError)?.cause ?? error
    guard let body = (cause as? RESTError)?.body,
      let words = try? JSONDecoder.matrix.decode(MatrixError.self, from: body),
      words.errcode != nil || words.flows != nil
    else { return nil }
    self = words
  }

  /// Reads the wait that a homeserver names in the body of a refusal.
  public static func wait(in response: RESTResponse) -> Duration? {
    let words = try? JSONDecoder.matrix.decode(MatrixError.self, from: response.data)
    return words?.retryAfterMs.map { .milliseconds($0) }
  }
}

nonisolated extension RetryPolicy {
  /// Waits as long as the server says; a limited POST was not carried out.
  static let matrix = RetryPolicy(
    throttledMethods: [.post], maxRetryAfter: .seconds(60), retryAfter: MatrixError.wait,
    totalTime: .seconds(300))
}
