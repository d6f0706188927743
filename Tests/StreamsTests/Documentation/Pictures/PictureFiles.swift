import Foundation
import StreamsFixtures

/// Files of the docs that tests make.
struct PictureFiles {
  private let files: [String: String]
  private let folder: String
  private let root: URL

  /// - Parameters:
  ///   - files: The content of each file, by path.
  ///   - folder: A folder that must have no other pictures.
  init(_ files: [String: String], in folder: String, root: URL = StreamsSources.root) {
    self.files = files
    self.folder = folder
    self.root = root
  }

  /// Returns the files with outdated content, or none after they were renewed.
  ///
  /// `RENEW_PICTURES=1 swift test --filter PictureTests` renews them.
  func stale(
    isRenewing: Bool = ProcessInfo.processInfo.environment["RENEW_PICTURES"] != nil
  ) throws -> [String] {
    let manager = FileManager.default
    let place = root.appending(path: folder)
    if isRenewing { try manager.createDirectory(at: place, withIntermediateDirectories: true) }
    let names = (try? manager.contentsOfDirectory(atPath: place.path)) ?? []
    let present = names.filter { $0.hasSuffix(".svg") }
      .map { folder.isEmpty ? $0 : "\(folder)/\($0)" }
    var stale: [String] = []
    for path in Set(present).union(files.keys).sorted() {
      let file = root.appending(path: path)
      if isRenewing, let text = files[path] {
        try Data(text.utf8).write(to: file)
      } else if isRenewing {
        try manager.removeItem(at: file)
      } else if (try? String(contentsOf: file, encoding: .utf8)) != files[path] {
        stale.append(path)
      }
    }
    return stale
  }
}
