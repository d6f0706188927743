import Foundation

/// The files of this repository.
nonisolated enum Repository {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  static func text(of path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// The paths of the files in a folder and in its subfolders, in order.
  ///
  /// Hidden files and folders are omitted, such as build folders.
  static func files(in folder: String, endingIn suffix: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: root.appending(path: folder).path)
      .filter { !$0.hasPrefix(".") }.sorted()
      .flatMap { name in
        let path = "\(folder)/\(name)"
        var isFolder: ObjCBool = false
        _ = FileManager.default.fileExists(
          atPath: root.appending(path: path).path, isDirectory: &isFolder)
        if isFolder.boolValue { return try files(in: path, endingIn: suffix) }
        return name.hasSuffix(suffix) ? [path] : []
      }
  }
}
