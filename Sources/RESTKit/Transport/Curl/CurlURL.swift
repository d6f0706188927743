#if os(Linux)
  internal import CCurl

  /// A URL as libcurl parses it, so that the leader does not have to.
  ///
  /// `@unchecked` for the handle: it is written by the initializer, and then only read.
  final class CurlURL: @unchecked Sendable {
    let handle: UnsafeMutableRawPointer
    private let library: CurlLibrary

    /// - Returns: nil where libcurl refuses the URL; it says why when it is given the text.
    init?(_ text: String, _ library: CurlLibrary) {
      guard let handle = library.api.pointee.url_init() else { return nil }
      self.handle = handle
      self.library = library
      let flags = UInt32(CCURLU_PATH_AS_IS | CCURLU_DISALLOW_USER)
      // A string that is passed as it is would be copied for the call.
      let code = text.withCString {
        library.api.pointee.url_set(handle, Int32(CCURLUPART_URL), $0, flags)
      }
      if code != 0 { return nil }
    }

    deinit { library.api.pointee.url_cleanup(handle) }
  }
#endif
