import Fixtures
import Foundation
import Testing

@testable import RESTKit

@Suite("SEC-13: a token file that others can access is refused")
struct FileTokenStoreRefusalTests {
  private func refusal(
    of operation: () throws -> Void, _ location: SourceLocation = #_sourceLocation
  ) throws -> FileTokenStoreError {
    try #require(
      #expect(throws: FileTokenStoreError.self, sourceLocation: location) { try operation() },
      sourceLocation: location)
  }

  @Test(
    "A mode that gives others access is refused, for each bit",
    arguments: [0o640, 0o604, 0o601, 0o620, 0o777])
  func wideFile(mode: Int) throws {
    let folder = try TokenFolder()
    try folder.store.write(.number(1))
    try folder.setMode(mode, of: folder.file)
    for operation in operations(on: folder.store) {
      let error = try refusal(of: operation)
      #expect(error.kind == .openToOthers)
      #expect(
        error.description
          == "The token store's \(folder.file.path) is open to others: its mode is "
          + "\(String(mode, radix: 8)), and not 600. Run chmod 600 on it, and sign in anew if "
          + "others may have read it.")
    }
    #expect(try folder.mode(of: folder.file) == mode)
    try folder.setMode(0o600, of: folder.file)
    #expect(try folder.store.read() == .number(1))
  }

  @Test(
    "A folder that others may list or write is refused", arguments: [0o750, 0o705, 0o701, 0o777])
  func wideFolder(mode: Int) throws {
    let folder = try TokenFolder()
    try folder.store.write(.number(1))
    try folder.setMode(mode, of: folder.url)
    for operation in operations(on: folder.store) + [{ try folder.store.write(nil) }] {
      let error = try refusal(of: operation)
      #expect(error.kind == .openToOthers)
      #expect(error.path == folder.url.path)
      #expect(error.remedy.contains("chmod 700"))
    }
    try folder.setMode(0o700, of: folder.url)
    #expect(try folder.store.read() == .number(1))
  }

  @Test("A symbolic link in place of the file is refused, even a dangling one")
  func linkedFile() throws {
    for target in ["other.json", "nowhere"] {
      let folder = try TokenFolder()
      try folder.put("")
      try FileManager.default.moveItem(
        at: folder.file, to: folder.url.appendingPathComponent("other.json"))
      try FileManager.default.createSymbolicLink(
        atPath: folder.file.path, withDestinationPath: target)
      for operation in operations(on: folder.store) {
        let error = try refusal(of: operation)
        #expect(error.kind == .notAPlainFile)
        #expect(error.path == folder.file.path)
      }
      #expect(
        try Data(contentsOf: folder.url.appendingPathComponent("other.json")).isEmpty)
      // The link goes, and what it leads to stays.
      try folder.store.write(nil)
      #expect(try folder.names == ["other.json", ".credential.json.lock"])
    }
  }

  @Test("A symbolic link in place of the folder is refused")
  func linkedFolder() throws {
    let folder = try TokenFolder()
    try folder.store.write(.number(1))
    let link = folder.url.deletingLastPathComponent().appendingPathComponent("link")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: folder.url)
    let store = FileTokenStore(file: link.appendingPathComponent("credential.json"))
    for operation in operations(on: store) + [{ try store.write(nil) }] {
      let error = try refusal(of: operation)
      #expect(error.kind == .notAPlainFile)
      #expect(error.path == link.path)
    }
    #expect(try folder.store.read() == .number(1))
  }

  @Test("A symbolic link in place of the lock is refused, because it would create a file elsewhere")
  func linkedLock() throws {
    let folder = try TokenFolder()
    try folder.store.write(.number(1))
    try FileManager.default.removeItem(at: folder.lock)
    let elsewhere = folder.url.appendingPathComponent("elsewhere")
    try FileManager.default.createSymbolicLink(at: folder.lock, withDestinationURL: elsewhere)
    let error = try refusal { try folder.store.write(.number(2)) }
    #expect(error.kind == .notAPlainFile)
    #expect(error.path == folder.lock.path)
    #expect(!FileManager.default.fileExists(atPath: elsewhere.path))
  }

  @Test("A lock that others may take is refused")
  func wideLock() throws {
    let folder = try TokenFolder()
    try folder.store.write(.number(1))
    try folder.setMode(0o644, of: folder.lock)
    let error = try refusal { try folder.store.write(.number(2)) }
    #expect(error.kind == .openToOthers)
    #expect(error.path == folder.lock.path)
    #expect(try folder.store.read() == .number(1))
  }

  @Test("A symbolic link placed for the next write is removed, and not followed")
  func linkedLeftover() throws {
    let folder = try TokenFolder()
    try folder.store.write(.number(1))
    let elsewhere = folder.url.appendingPathComponent("elsewhere")
    try Data("kept".utf8).write(to: elsewhere)
    try FileManager.default.createSymbolicLink(at: folder.leftover, withDestinationURL: elsewhere)
    try folder.store.write(.number(2))
    #expect(try folder.store.read() == .number(2))
    #expect(try Data(contentsOf: elsewhere) == Data("kept".utf8))
  }

  @Test("A folder or a pipe in place of the file is refused, without waiting for a writer")
  func otherKinds() throws {
    for make in [{ mkdir($0, 0o600) }, { mkfifo($0, 0o600) }] as [(String) -> Int32] {
      let folder = try TokenFolder()
      try folder.put("")
      try FileManager.default.removeItem(at: folder.file)
      #expect(make(folder.file.path) == 0)
      for operation in operations(on: folder.store) {
        let error = try refusal(of: operation)
        #expect(error.kind == .notAPlainFile)
        #expect(error.reason.hasPrefix("is not a plain file"))
      }
    }
  }

  @Test("A file in place of the folder is refused")
  func fileForFolder() throws {
    let folder = try TokenFolder()
    try Data().write(to: folder.url)
    #expect(try refusal { _ = try folder.store.read() }.kind == .notAPlainFile)
    #expect(try refusal { try folder.store.write(.number(1)) }.kind == .notAPlainFile)
  }

  @Test("A file or folder of another owner is refused", .enabled(if: geteuid() == 0, "needs root"))
  func otherOwner() throws {
    let folder = try TokenFolder()
    try folder.store.write(.number(1))
    for url in [folder.file, folder.url] {
      #expect(chown(url.path, 4_711, 4_711) == 0)
      for operation in operations(on: folder.store) {
        let error = try refusal(of: operation)
        #expect(error.kind == .wrongOwner)
        #expect(error.path == url.path)
        #expect(error.reason == "belongs to user 4711, and this process runs as 0")
      }
      #expect(chown(url.path, 0, 0) == 0)
    }
    #expect(try folder.store.read() == .number(1))
  }

  @Test("TR-21: an unreachable folder is an error, and not a sign-out")
  func unreachable() throws {
    let folder = try TokenFolder()
    let name = String(repeating: "n", count: 300)
    let store = FileTokenStore(file: folder.url.appendingPathComponent(name))
    try folder.store.write(.number(1))
    let error = try refusal { _ = try store.read() }
    #expect(error.kind == .system(.ENAMETOOLONG))
  }

  /// Operations that read or write a credential.
  private func operations(on store: FileTokenStore) -> [() throws -> Void] {
    [
      { _ = try store.read() }, { try store.write(.number(3)) },
      { _ = try store.replace(.number(1), with: .number(3)) },
    ]
  }
}
