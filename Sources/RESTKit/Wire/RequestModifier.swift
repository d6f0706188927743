import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Changes a request just before it is sent: adds a token, a header, a time-out.
///
/// It runs once for each attempt, on the thread that subscribes, so that a retried request carries
/// what is current then.
public typealias RequestModifier = @Sendable (URLRequest) -> URLRequest

extension URLRequest {
  /// This request with a header field, in the place of any other of that name, however it is spelled.
  ///
  /// A name that is no token, or a value with a line break or another control character, is not
  /// dropped in silence: the request is refused before it is sent.
  public func settingHeader(_ name: String, to value: String) -> URLRequest {
    setting(value.replacingSilentlyDroppedCharacters, for: name)
  }

  /// This request with a bearer token (RFC 6750 §2.1), in the place of any other authorization.
  ///
  /// White space around the token is left out, such as the line break of the file it was read from.
  /// A token with a control character inside is not dropped in silence: the request is refused
  /// before it is sent.
  public func addingBearerAuthorization(token: String) -> URLRequest {
    setting(String(bearer: token), for: "Authorization")
  }

  /// This request with an `Accept` header that asks for JSON.
  public func acceptingJSON() -> URLRequest {
    setting("application/json", for: "Accept")
  }

  /// This request with a `Content-Type` that says its body is JSON.
  public func sendingJSON() -> URLRequest {
    setting("application/json", for: "Content-Type")
  }

  /// This request with a name and a password (RFC 7617), in the place of any other authorization.
  func addingBasicAuthorization(name: String, password: String) -> URLRequest {
    setting("Basic \(Data("\(name):\(password)".utf8).base64EncodedString())", for: "Authorization")
  }

  private func setting(_ value: String, for name: String) -> URLRequest {
    var request = self
    if !request.setIfAbsent(value, for: name) { request.replaceHeader(name, with: value) }
    return request
  }
}

extension String {
  /// The value of `Authorization` for a bearer token.
  init(bearer token: String) {
    // As nearly each is: to trim takes longer than to look at the bytes.
    if token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) {
      self = "Bearer " + token
      return
    }
    let token = token.trimmingCharacters(in: .whitespacesAndNewlines)
    self = "Bearer \(token.replacingSilentlyDroppedCharacters)"
  }

  /// `URLRequest` drops a header whose value has one of these without a word.
  ///
  /// DEL it keeps, and the checks before sending refuse that.
  fileprivate var replacingSilentlyDroppedCharacters: String {
    var text = ""
    for scalar in unicodeScalars {
      let isDropped = scalar == "\r" || scalar == "\n" || scalar == "\0"
      text.unicodeScalars.append(isDropped ? "\u{7F}" : scalar)
    }
    return text
  }
}
