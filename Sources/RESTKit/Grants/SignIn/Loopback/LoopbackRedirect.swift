/// The address at which a command-line tool waits for the callback of a browser (RFC 8252 §7.3).
public struct LoopbackRedirect: Sendable, Hashable {
  /// The path of the redirect URI, which begins with a slash.
  public var path: String
  /// The port, or 0 for a port that the system chooses.
  ///
  /// Servers must allow any port for 127.0.0.1.
  public var port: UInt16
  /// The page that the browser shows after the callback, as HTML.
  public var page: String

  /// - Parameters:
  ///   - path: The path of the redirect URI, which begins with a slash, without a query.
  ///   - port: The port, or 0 for a port that the system chooses.
  ///   - page: The page that the browser shows after the callback, as HTML without scripts.
  public init(
    path: String = "/callback", port: UInt16 = 0,
    page: String = "<p>The answer has arrived. You can close this window.</p>"
  ) {
    self.path = path
    self.port = port
    self.page = page
  }
}
