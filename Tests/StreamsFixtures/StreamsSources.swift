import Foundation

/// The files of this package, as far as its documentation is checked against them.
package enum StreamsSources {
  package static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// A file as it stands, but for the attributes that come before a declaration on its line.
  package static func text(of path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
      .replacing(#/^( *)(?:@(?:frozen|inlinable|usableFromInline) )+/#.anchorsMatchLineEndings()) {
        $0.output.1
      }
  }

  /// The Swift files of a folder, in order, as paths that ``text(of:)`` takes.
  package static func files(in folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: root.appending(path: folder).path)
      .filter { $0.hasSuffix(".swift") }
      .sorted()
      .map { "\(folder)/\($0)" }
  }

  /// The Swift files of a folder and all below it, as paths that ``text(of:)`` takes.
  package static func tree(of folder: String) throws -> [String] {
    try files(in: folder) + folders(in: folder).flatMap { try tree(of: "\(folder)/\($0)") }
  }

  /// The names of the folders in a folder, in order; a catalog of DocC is none.
  package static func folders(in folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: root.appending(path: folder).path)
      .filter { !$0.contains(".") }
      .sorted()
  }
}
