#if os(Linux)
  internal import CCurl

  /// The TLS sessions of an engine, which its handles share.
  ///
  /// By itself, each handle of libcurl keeps its own. The session of an HTTP/2 connection then
  /// belongs to the handle that was on the connection when the server's ticket came, and the next
  /// connection, of another handle, cannot resume it. libcurl keeps the last few (8 in 7.88).
  ///
  /// It has no lock: only the leader uses the handles.
  final class CurlTLSSessions {
    let handle: UnsafeMutableRawPointer
    private let library: CurlLibrary

    /// - Returns: nil if there is no memory. Each handle then keeps its own sessions.
    init?(_ library: CurlLibrary) {
      guard let handle = library.api.pointee.share_init() else { return nil }
      self.handle = handle
      self.library = library
      _ = ccurl_share_tls_sessions(handle)
    }

    deinit { _ = library.api.pointee.share_cleanup(handle) }
  }
#endif
