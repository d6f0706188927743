import Foundation

/// A body's file, opened at its start.
///
/// It is closed with the last copy.
package struct BodyFile: Sendable {
  package let handle: FileHandle
  /// The number of bytes when the file is opened.
  package let length: Int64

  /// - Throws: `.invalidRequest` if there is no readable file.
  package init(_ url: URL) throws(TransportError) {
    do {
      _ = try FileManager.default.attributesOfRegularFile(at: url)
      handle = try FileHandle(forReadingFrom: url)
      length = Int64(try handle.seekToEnd())
      try handle.seek(toOffset: 0)
    } catch {
      throw .beforeSending(
        .invalidRequest,
        "the body's file \(url.lastPathComponent) cannot be read: "
          + "\(error.localizedDescription) Check that it is there and may be read")
    }
  }
}
