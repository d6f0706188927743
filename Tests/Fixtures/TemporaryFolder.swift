import Foundation

/// A folder for files, which goes with this object.
package final class TemporaryFolder: Sendable {
  package let url: URL

  package init(in parent: URL = FileManager.default.temporaryDirectory) throws {
    url = parent.appendingPathComponent("Fixtures-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  package func file(_ name: String, _ data: Data) throws -> URL {
    let file = url.appendingPathComponent(name)
    try data.write(to: file)
    return file
  }

  package var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
  }
}
