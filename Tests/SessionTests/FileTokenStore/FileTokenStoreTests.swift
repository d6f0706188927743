import Fixtures
import Foundation
import Testing

@testable import RESTKit

@Suite("A token file")
struct FileTokenStoreTests {
  @Test("A store returns the written credential, also to another store, and nil removes it")
  func roundTrip() throws {
    let folder = try TokenFolder()
    try folder.store.write(.canaries)
    #expect(try folder.store.read() == .canaries)
    try folder.store.write(.number(2))
    #expect(try folder.store.read() == .number(2))
    try folder.store.write(nil)
    #expect(try folder.store.read() == nil)
    #expect(try folder.names == [".credential.json.lock"])
  }

  @Test("An unwritten store is signed out, and creates nothing")
  func nothingThere() throws {
    let folder = try TokenFolder()
    #expect(try folder.store.read() == nil)
    #expect(try !folder.store.replace(.number(1), with: .number(2)))
    try folder.store.write(nil)
    #expect(!FileManager.default.fileExists(atPath: folder.url.path))
  }

  @Test("SEC-13: the file has mode 0600 and its folder 0700, and missing folders are created")
  func modes() throws {
    let folder = try TokenFolder()
    let file = folder.url.appendingPathComponent("deep/er/token")
    try FileTokenStore(file: file).write(.canaries)
    let inner = file.deletingLastPathComponent()
    #expect(try folder.mode(of: file) == 0o600)
    #expect(try folder.mode(of: inner.appendingPathComponent(".token.lock")) == 0o600)
    #expect(try folder.mode(of: inner) == 0o700)
    // Whoever can change a parent can replace the folder.
    #expect(try folder.mode(of: inner.deletingLastPathComponent()) == 0o700)
    #expect(try folder.mode(of: folder.url) == 0o700)
    // A refresh does not widen it.
    #expect(try FileTokenStore(file: file).replace(.canaries, with: .number(1)))
    #expect(try folder.mode(of: file) == 0o600)
  }

  @Test("TR-31: replace writes only if the old credential is still stored")
  func replace() throws {
    let folder = try TokenFolder()
    try folder.store.write(.number(1))
    #expect(try folder.store.replace(.number(1), with: .number(2)))
    #expect(try !folder.store.replace(.number(1), with: .number(3)))
    #expect(try folder.store.read() == .number(2))
    try folder.store.write(nil)
    #expect(try !folder.store.replace(.number(2), with: .number(3)))
    #expect(try folder.store.read() == nil)
  }

  @Test("SEC-13, TR-31: of concurrent replaces one wins each round, and no text is half-written")
  func manyWriters() async throws {
    let folder = try TokenFolder()
    try folder.store.write(.number(0))
    for round in 0..<20 {
      let wins = try await withThrowingTaskGroup(of: Bool.self) { group in
        for _ in 0..<8 {
          group.addTask { [store = folder.store] in
            _ = try #require(try store.read())
            return try store.replace(.number(round), with: .number(round + 1))
          }
        }
        return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
      #expect(wins == 1)
    }
    #expect(try folder.store.read() == .number(20))
    #expect(try folder.names == ["credential.json", ".credential.json.lock"])
  }

  @Test("TR-31: nil is the old credential of an empty store, and a new credential replaces it")
  func replaceNothing() throws {
    let folder = try TokenFolder()
    #expect(try folder.store.replace(nil, with: nil))
    #expect(!FileManager.default.fileExists(atPath: folder.url.path))
    #expect(try folder.store.replace(nil, with: .number(1)))
    #expect(try folder.store.read() == .number(1))
    #expect(try !folder.store.replace(nil, with: .number(2)))
    #expect(try folder.store.replace(.number(1), with: nil))
    #expect(try folder.store.read() == nil)
  }

  @Test("SEC-11: no text of the store or its errors shows a token")
  func texts() throws {
    let folder = try TokenFolder()
    try folder.store.write(.canaries)
    for text in allTexts(of: folder.store) { #expect(!text.contains("canary"), "\(text)") }
    try folder.put(#"{"version": 1, "credential": {"accessToken": ["canary-a"]}}"#)
    let error = #expect(throws: FileTokenStoreError.self) { try folder.store.read() }
    for text in allTexts(of: try #require(error)) {
      #expect(!text.contains("canary"), "\(text)")
    }
  }
}
