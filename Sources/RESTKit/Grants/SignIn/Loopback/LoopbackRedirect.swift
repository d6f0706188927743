/// Where a tool on a machine waits for the answer of a browser (RFC 8252 §7.3).
public struct LoopbackRedirect: Sendable, Hashable {
  /// The path of the redirect URI, which begins with a slash.
  public var path: String
  /// The port; 0 for one that the system picks, as servers have to allow for 127.0.0.1.
  public var port: UInt16
  /// What the browser shows once the answer has come, as HTML.
  public var page: String

  /// - Parameters:
  ///   - path: The path of the redirect URI, which begins with a slash, without a query.
  ///   - port: The port; 0 for one that the system picks.
  ///   - page: What the browser shows once the answer has come, as HTML without scripts.
  public init(
    path: String = "/callback", port: UInt16 = 0,
    page: String = "<p>The answer has arrived. You can close this window.</p>"
  ) {
    self.path = path
    self.port = port
    self.page = page
  }
}
