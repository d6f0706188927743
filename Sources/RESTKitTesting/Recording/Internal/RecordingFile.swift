import Foundation
import RESTKitReports

/// The file of a recording.
struct RecordingFile: Sendable {
  let url: URL
  var name: String { url.lastPathComponent }

  /// - Parameters:
  ///   - path: The path, absolute or relative to the folder of a source file.
  ///   - sourceFile: The path of that source file.
  init(_ path: String, besides sourceFile: String) {
    let folder = URL(filePath: sourceFile).deletingLastPathComponent()
    url =
      path.hasPrefix("/") ? URL(filePath: path) : folder.appending(path: path).standardizedFileURL
  }

  /// Returns the recorded traffic, or nil if there is no file.
  func read() throws(RecordingError) -> HAR? {
    do {
      return try HAR(contentsOf: url)
    } catch let error as HARError {
      throw .invalid(path: url.path, reason: error)
    } catch {
      guard FileManager.default.fileExists(atPath: url.path) else { return nil }
      throw .unreadable(path: url.path, reason: error.localizedDescription)
    }
  }

  /// Writes the file in one step, and creates its folders.
  func write(_ har: HAR) throws {
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try har.write(to: url)
  }
}
