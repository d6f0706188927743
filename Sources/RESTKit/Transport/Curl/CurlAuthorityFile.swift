#if os(Linux)
  import Foundation

  /// A file of trusted authorities, which libcurl reads by its path.
  final class CurlAuthorityFile: Sendable {
    let path: String
    private let handle: FileHandle?

    /// Makes a reference to an existing file.
    init(path: String) {
      self.path = path
      handle = nil
    }

    /// Makes an unnamed file with these contents.
    ///
    /// It is deleted with its last user.
    ///
    /// libcurl accepts the authorities from memory only since 7.77. It then copies them for every connection,
    /// compares them byte by byte to find a reusable one, and parses them again each time. In contrast, it
    /// caches the parsed content of a file.
    ///
    /// - Parameter folder: The folder of the file. The file has no name there when this returns.
    init(contents: Data, in folder: String = NSTemporaryDirectory()) throws(TransportError) {
      var template = Array((folder + "/restkit-XXXXXX").utf8CString)
      let descriptor = mkstemp(&template)
      guard descriptor >= 0 else { throw Self.fault("cannot be made", .last) }
      unlink(template)
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
      self.handle = handle
      path = "/proc/self/fd/\(descriptor)"
      do {
        try handle.writeAll(contents)
      } catch {
        throw Self.fault("cannot be written", error)
      }
      guard access(path, R_OK) == 0 else {
        throw Self.fault("needs /proc, which is not mounted", .last)
      }
    }

    private static func fault(_ what: String, _ error: POSIXError) -> TransportError {
      .beforeSending(
        .invalidOptions,
        "TLSOptions.authorities: a file for .systemAndFile \(what)"
          + " (\(String(cString: strerror(error.code.rawValue))))")
    }
  }
#endif
