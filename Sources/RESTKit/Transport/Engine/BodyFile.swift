import Foundation

/// A body's file, open at its start; it closes with the last copy.
struct BodyFile: Sendable {
  let handle: FileHandle
  /// The bytes that it has as it is opened.
  let length: Int64

  /// - Throws: `.invalidRequest` if there is no file that can be read.
  init(_ url: URL) throws(TransportError) {
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
