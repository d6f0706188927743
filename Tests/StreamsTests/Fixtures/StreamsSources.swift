import Foundation

/// The files of this package, as far as its documentation is checked against them.
enum StreamsSources {
  static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// A file as it stands, but for the attributes that come before a declaration on its line.
  static func text(of path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
      .replacing(#/^( *)(?:@(?:frozen|inlinable|usableFromInline) )+/#.anchorsMatchLineEndings()) {
        $0.output.1
      }
  }

  /// The Swift files of a folder, in order, as paths that ``text(of:)`` takes.
  static func files(in folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: root.appending(path: folder).path)
      .filter { $0.hasSuffix(".swift") }
      .sorted()
      .map { "\(folder)/\($0)" }
  }

  /// The Swift files of a folder and all below it, as paths that ``text(of:)`` takes.
  static func tree(of folder: String) throws -> [String] {
    try files(in: folder) + folders(in: folder).flatMap { try tree(of: "\(folder)/\($0)") }
  }

  /// The names of the folders in a folder, in order; a catalog of DocC is none.
  static func folders(in folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: root.appending(path: folder).path)
      .filter { !$0.contains(".") }
      .sorted()
  }
}
