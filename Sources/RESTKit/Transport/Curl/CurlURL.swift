#if os(Linux)
  internal import CCurl

  /// A URL parsed by libcurl, so that the leader need not parse it.
  ///
  /// It is `@unchecked` because of the handle, which is written by the initializer and then only read.
  final class CurlURL: @unchecked Sendable {
    let handle: UnsafeMutableRawPointer
    private let library: CurlLibrary

    /// - Returns: nil if libcurl refuses the URL. It reports the reason when it gets the text.
    init?(_ text: String, _ library: CurlLibrary) {
      guard let handle = library.api.pointee.url_init() else { return nil }
      self.handle = handle
      self.library = library
      let flags = UInt32(CCURLU_PATH_AS_IS | CCURLU_DISALLOW_USER)
      // A string passed directly would be copied for the call.
      let code = text.withCString {
        library.api.pointee.url_set(handle, Int32(CCURLUPART_URL), $0, flags)
      }
      if code != 0 { return nil }
    }

    deinit { library.api.pointee.url_cleanup(handle) }
  }
#endif
