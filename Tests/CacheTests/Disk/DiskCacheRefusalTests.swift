import Foundation
import Testing

@testable import RESTKit

@Suite("A cache's folder that others can access is refused")
struct DiskCacheRefusalTests {
  private func refusal(
    _ bench: DiskBench, _ location: SourceLocation = #_sourceLocation
  ) throws -> DiskCacheError {
    try #require(
      #expect(throws: DiskCacheError.self, sourceLocation: location) { _ = try bench.store() },
      sourceLocation: location)
  }

  private func make(_ url: URL, mode: Int) throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path)
  }

  @Test(
    "A mode that gives others access is refused", arguments: [0o750, 0o705, 0o701, 0o720, 0o777])
  func mode(mode: Int) throws {
    let bench = try DiskBench()
    try make(bench.url, mode: mode)
    let error = try refusal(bench)
    #expect(error.kind == .openToOthers)
    #expect(
      error.description
        == "The cache's \(bench.url.path) is open to others: its mode is "
        + "\(String(mode, radix: 8)), but must be 700. Choose a folder that is for the cache "
        + "alone, and run chmod 700 on it.")
    #expect(error.errorDescription == error.description)
    // It is not corrected: others may have put something in it.
    #expect(try bench.mode(of: bench.url) == mode)
    try make(bench.url, mode: 0o700)
    _ = try bench.store()
  }

  @Test("A symbolic link is refused, even to a folder of the same owner")
  func link() throws {
    for isThere in [true, false] {
      let bench = try DiskBench()
      let other = bench.url.deletingLastPathComponent().appendingPathComponent("other")
      if isThere { try make(other, mode: 0o700) }
      try FileManager.default.createSymbolicLink(at: bench.url, withDestinationURL: other)
      let error = try refusal(bench)
      #expect(error.kind == .notAFolder)
      #expect(error.path == bench.url.path)
    }
  }

  @Test("A file is refused")
  func file() throws {
    let bench = try DiskBench()
    try Data().write(to: bench.url)
    #expect(try refusal(bench).kind == .notAFolder)
  }

  @Test("Another owner is refused", .enabled(if: geteuid() == 0, "needs root"))
  func owner() throws {
    let bench = try DiskBench()
    try make(bench.url, mode: 0o700)
    #expect(chown(bench.url.path, 4_711, 4_711) == 0)
    let error = try refusal(bench)
    #expect(error.kind == .wrongOwner)
    #expect(error.reason == "belongs to user 4711, but this process runs as 0")
  }

  @Test("A URL that is not a file URL is refused")
  func notAFile() throws {
    let url = try #require(URL(string: "https://h.example/cache"))
    let error = #expect(throws: DiskCacheError.self) {
      try DiskCacheStore(folder: url, maxBytes: 1, transient: MemoryCacheStore(maxBytes: 1 << 20))
    }
    #expect(error?.kind == .notAFolder)
  }

  @Test("A place where no folder can be created is reported with its path")
  func unreachable() throws {
    let bench = try DiskBench()
    try Data().write(to: bench.url)
    let inner = bench.url.appendingPathComponent("cache")
    let error = #expect(throws: DiskCacheError.self) {
      try DiskCacheStore(folder: inner, maxBytes: 1, transient: bench.transient)
    }
    #expect(error?.path == inner.path)
  }

  @Test("Missing parent folders are created")
  func deep() throws {
    let bench = try DiskBench()
    let inner = bench.url.appendingPathComponent("a/b")
    _ = try DiskCacheStore(folder: inner, maxBytes: 1, transient: bench.transient)
    #expect(try bench.mode(of: inner) == 0o700)
  }
}
