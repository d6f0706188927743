/// How much of a request and its response a text may show: a curl command, a HAR file.
///
/// Every case but ``none`` leaves out user info; none shows a URL's fragment, which is not sent.
public enum Redaction: Sendable, Hashable {
  /// Hides whatever could be a secret: the default everywhere.
  ///
  /// Shown are the method, the path, the names in a query, in a form and in JSON, and the values of
  /// header fields that say nothing but how a message is built, such as `Content-Type`. Other bodies
  /// are left out.
  case strict
  /// Hides what has the name of a secret, for recordings with accounts made for tests.
  ///
  /// Those are `Authorization`, cookies, and each header, member of JSON, field of a form and item of
  /// a query with a word such as `token`, `password`, `session` or `key` in its name. A secret under
  /// another name is shown. A multipart body is left out.
  case byName
  /// Hides nothing.
  case none
}

extension Redaction {
  /// What stands for a hidden value.
  package static let mark = "<redacted>"
  /// What stands for it in a URL, where angle brackets may not.
  package static let markInURL = "REDACTED"

  /// Whether the value of a member, a form's field or a query's item is to be hidden.
  func hides(valueOf name: String) -> Bool {
    switch self {
    case .strict: true
    case .byName: Self.isNameOfSecret(name)
    case .none: false
    }
  }

  /// Whether the value of a header field is to be hidden.
  package func hides(header name: String) -> Bool {
    switch self {
    case .strict: !Self.plainHeaders.contains(name.lowercased())
    case .byName:
      HTTPHeaders.secretNames.contains { HTTPHeaders.isSameName($0, name) }
        || Self.isNameOfSecret(name)
    case .none: false
    }
  }

  /// Whether values under a name are taken for secrets.
  package static func isNameOfSecret(_ name: String) -> Bool {
    let name = name.lowercased().filter { $0.isLetter || $0.isNumber }
    return secretNames.contains(name) || secretWords.contains { name.contains($0) }
  }

  private static let secretNames: Set = ["key", "sig", "code", "pin", "otp", "pwd", "sid", "pass"]

  private static let secretWords = [
    "token", "secret", "password", "passwd", "passphrase", "apikey", "accesskey", "privatekey",
    "authoriz", "authentic", "credential", "signature", "session", "cookie", "jwt", "assertion",
  ]

  /// Fields that tell how a message is built, and nothing of who sends it or what is in it.
  private static let plainHeaders: Set = [
    "accept", "accept-encoding", "accept-language", "accept-ranges", "age", "allow",
    "cache-control", "connection", "content-encoding", "content-language", "content-length",
    "content-range", "content-type", "date", "expires", "host", "last-modified", "location",
    "range", "retry-after", "server", "te", "trailer", "transfer-encoding", "user-agent", "vary",
  ]
}
