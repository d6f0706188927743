import Fixtures
import Foundation
import Testing

@testable import RESTKit

@Suite("An error in a cache's folder is never read as a missing file")
struct CacheFolderTests {
  /// A name that each call of the system refuses, as it does for other reasons.
  private static let refused = String(repeating: "x", count: 300)

  private func folder() throws -> (TemporaryFolder, CacheFolder) {
    let parent = try TemporaryFolder()
    return (parent, try CacheFolder(parent.url.appendingPathComponent("cache").path))
  }

  @Test("A file whose attributes cannot be read is no missing file")
  func status() throws {
    let (parent, folder) = try folder()
    defer { withExtendedLifetime(parent) {} }
    #expect(try folder.status(of: "missing") == nil)
    #expect(try folder.status(of: "missing/too") == nil)
    let error = #expect(throws: DiskCacheError.self) { try folder.status(of: Self.refused) }
    #expect(error?.kind == .system(.ENAMETOOLONG))
    #expect(throws: DiskCacheError.self) { try folder.markedTime(Self.refused) }
    #expect(throws: DiskCacheError.self) { try folder.read(Self.refused, limit: 1) }
  }

  @Test("A file or folder that cannot be removed fails unless it is missing")
  func removal() throws {
    let (parent, folder) = try folder()
    defer { withExtendedLifetime(parent) {} }
    try folder.remove("missing")
    try folder.removeFolder("missing")
    try folder.removeFolder("missing/too")
    for remove in [folder.remove, folder.removeFolder] {
      let error = #expect(throws: DiskCacheError.self) { try remove(Self.refused) }
      #expect(error?.kind == .system(.ENAMETOOLONG))
    }
  }

  @Test("A folder that cannot be listed is no empty one")
  func list() throws {
    let (parent, folder) = try folder()
    defer { withExtendedLifetime(parent) {} }
    #expect(try folder.names(in: "missing") == [])
    #expect(throws: DiskCacheError.self) { try folder.names(in: Self.refused) }
  }
}
