#if os(Linux)
  import Foundation

  /// A file of trusted authorities, as libcurl wants it: by its path.
  final class CurlAuthorityFile: Sendable {
    let path: String
    private let descriptor: Int32?

    /// A file that is there.
    init(path: String) {
      self.path = path
      descriptor = nil
    }

    /// A file with these contents and without a name, which ends with its last user.
    ///
    /// libcurl could take them from memory, but only since 7.77; and then it copies them for every
    /// connection, compares them byte by byte to find one that it can reuse, and parses them anew
    /// each time, where it keeps what it has parsed of a file.
    ///
    /// - Parameter folder: Where it is made; it has no name there by the time that this returns.
    init(contents: Data, in folder: String = NSTemporaryDirectory()) throws(TransportError) {
      var template = Array((folder + "/restkit-XXXXXX").utf8CString)
      let descriptor = mkstemp(&template)
      guard descriptor >= 0 else { throw Self.fault("cannot be made") }
      unlink(template)
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      self.descriptor = descriptor
      path = "/proc/self/fd/\(descriptor)"
      guard Self.write(contents, to: descriptor) else { throw Self.fault("cannot be written") }
      guard access(path, R_OK) == 0 else { throw Self.fault("needs /proc, which is not mounted") }
    }

    deinit {
      if let descriptor { close(descriptor) }
    }

    private static func write(_ contents: Data, to descriptor: Int32) -> Bool {
      contents.withUnsafeBytes { bytes in
        var rest = Slice(base: bytes, bounds: bytes.indices)
        while !rest.isEmpty {
          let count = Foundation.write(
            descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
          guard count > 0 else { return false }
          rest = rest.dropFirst(count)
        }
        return true
      }
    }

    private static func fault(_ what: String) -> TransportError {
      .beforeSending(
        .invalidOptions,
        "TLSOptions.authorities: a file for .systemAndFile \(what)"
          + " (\(String(cString: strerror(errno))))")
    }
  }
#endif
