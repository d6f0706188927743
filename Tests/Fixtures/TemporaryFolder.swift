import Foundation

/// A folder for files, which goes with this object.
package final class TemporaryFolder: Sendable {
  package let url: URL

  /// The folder of the system's file system in memory, if it has room, or else that for temporary
  /// files.
  ///
  /// Stores wait for the disk after each write, and that is most of the time of their tests.
  private static let fastest: URL = {
    let memory = URL(filePath: "/dev/shm", directoryHint: .isDirectory)
    let room = try? FileManager.default.attributesOfFileSystem(forPath: memory.path)[
      .systemFreeSize]
    guard let room = room as? NSNumber, room.int64Value > 1 << 30,
      FileManager.default.isWritableFile(atPath: memory.path)
    else { return FileManager.default.temporaryDirectory }
    return memory
  }()

  package init(in parent: URL? = nil) throws {
    let parent = parent ?? Self.fastest
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
