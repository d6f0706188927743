import Fixtures
import Foundation
import Testing

@testable import RESTKit

@Suite("The place of a partial file, in a folder that others may write to")
struct PartialFilePlaceTests {
  private static let url = "https://api.example.com/v1/a"

  private func head(_ status: Int, _ headers: HTTPHeaders = [:]) throws -> ResponseHead {
    ResponseHead(url: try #require(URL(string: Self.url)), statusCode: status, headers: headers)
  }

  /// What another user of a folder may put in the place of a file.
  private enum Plant: CaseIterable {
    case symbolicLink, hardLink, pipe, fileOfAnother

    /// - Returns: The bytes that must stay as they are; nil for none.
    func put(at name: String, in folder: TemporaryFolder, bytes: Data) throws -> URL? {
      let place = folder.url.appendingPathComponent(name)
      switch self {
      case .symbolicLink:
        let other = try folder.file("other", bytes)
        try FileManager.default.createSymbolicLink(at: place, withDestinationURL: other)
        return other
      case .hardLink:
        let other = try folder.file("other", bytes)
        try FileManager.default.linkItem(at: other, to: place)
        return other
      case .pipe: #expect(mkfifo(place.path, 0o600) == 0)
      case .fileOfAnother:
        _ = try folder.file(name, bytes)
        #expect(chmod(place.path, 0o666) == 0)
        // Only root can give a file away.
        if geteuid() == 0 { #expect(chown(place.path, 12_345, 12_345) == 0) }
      }
      return nil
    }

    static var possible: [Plant] {
      allCases.filter { $0 != .fileOfAnother || geteuid() == 0 }
    }
  }

  @Test("SEC-09: what another user put in the place of a part gives way", arguments: Plant.possible)
  private func planted(plant: Plant) throws {
    let folder = try TemporaryFolder()
    try folder.leavePart(Data("".utf8), of: Self.url)
    try FileManager.default.removeItem(at: folder.url.appendingPathComponent(".file.part"))
    let other = try plant.put(at: ".file.part", in: folder, bytes: Data("planted".utf8))
    let file = folder.url.appendingPathComponent("file")
    let part = try PartialFile.open(for: file, location: Self.url)
    #expect(!part.isResumable)
    _ = try part.take(head(200))
    _ = try part.take(Data("mine".utf8))
    #expect(try part.finish() != nil)
    #expect(try Data(contentsOf: file) == Data("mine".utf8))
    var status = stat()
    #expect(lstat(file.path, &status) == 0)
    #expect(status.st_uid == geteuid())
    #expect(status.st_mode & 0o022 == 0)
    if let other { #expect(try Data(contentsOf: other) == Data("planted".utf8)) }
  }

  @Test(
    "SEC-09: a note that another user put beside a part does not count", arguments: Plant.possible)
  private func plantedNote(plant: Plant) throws {
    let folder = try TemporaryFolder()
    _ = try folder.file(".file.part", Data("abc".utf8))
    let note = try #require(
      PartialFileNote(of: try head(200, ["ETag": "\"v1\""]), location: Self.url))
    let bytes = try JSONEncoder().encode(note)
    let other = try plant.put(at: ".file.part.json", in: folder, bytes: bytes)
    let file = folder.url.appendingPathComponent("file")
    let part = try PartialFile.open(for: file, location: Self.url)
    #expect(!part.isResumable)
    _ = try part.take(head(200, ["ETag": "\"v2\""]))
    if let other { #expect(try Data(contentsOf: other) == bytes) }
    part.letGo()
    let own = PartialFileNote(at: folder.url.appendingPathComponent(".file.part.json"))
    #expect(own?.entityTag == "\"v2\"")
  }

  @Test("A note of up to 64 KiB is read, and no longer one")
  func longNote() throws {
    let folder = try TemporaryFolder()
    for (length, isRead) in [(40_000, true), (60_000, true), (70_000, false)] {
      let tag = "\"\(String(repeating: "v", count: length))\""
      let note = try #require(PartialFileNote(of: try head(200, ["ETag": tag]), location: Self.url))
      let file = try folder.file("note", try JSONEncoder().encode(note))
      #expect((PartialFileNote(at: file) != nil) == isRead)
    }
  }

  @Test("SEC-09: a tag of a note that would add a field to the request is none")
  func tagWithLineBreak() throws {
    let folder = try TemporaryFolder()
    _ = try folder.file(".file.part", Data("abc".utf8))
    for tag in [#"\"v\r\nX-Role: admin\""#, #"\"v\n\""#, #"W/\"v1\""#] {
      _ = try folder.file(
        ".file.part.json", Data(#"{"location": "\#(Self.url)", "entityTag": "\#(tag)"}"#.utf8))
      #expect(PartialFileNote(at: folder.url.appendingPathComponent(".file.part.json")) == nil)
    }
    let part = try PartialFile.open(
      for: folder.url.appendingPathComponent("file"), location: Self.url)
    #expect(!part.isResumable)
  }

  @Test(
    "A replaced file keeps its permissions, and no other user reads more of the new one meanwhile",
    arguments: [(0o600, 0o600), (0o640, 0o640), (0o444, 0o444), (0o4755, 0o755)])
  func mode(old: Int, new: Int) throws {
    let folder = try TemporaryFolder()
    let file = try folder.file("file", Data("old".utf8))
    #expect(chmod(file.path, mode_t(old)) == 0)
    let part = try PartialFile.open(for: file, location: Self.url)
    let before = try mode(of: folder.url.appendingPathComponent(".file.part"))
    #expect(before == new | 0o600)
    _ = try part.take(head(200))
    _ = try part.take(Data("new".utf8))
    #expect(try part.finish() != nil)
    #expect(try Data(contentsOf: file) == Data("new".utf8))
    #expect(try mode(of: file) == new)
  }

  @Test("A new file has the permissions of any new file")
  func newMode() throws {
    let folder = try TemporaryFolder()
    let file = folder.url.appendingPathComponent("file")
    let part = try PartialFile.open(for: file, location: Self.url)
    _ = try part.take(head(200))
    #expect(try part.finish() != nil)
    #expect(try mode(of: file) == mode(of: folder.file("other", Data())))
  }

  private func mode(of file: URL) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
  }

  @Test(
    "A file's name may be as long as the system allows, and two long names have two parts",
    arguments: [243, 244, 245, 254, 255])
  func longName(length: Int) throws {
    let folder = try TemporaryFolder()
    let name = String(repeating: "ü", count: length / 2) + String(repeating: "n", count: length % 2)
    #expect(name.utf8.count == length)
    let file = folder.url.appendingPathComponent(name)
    let other = folder.url.appendingPathComponent("m" + name.dropFirst().dropFirst() + "m")
    let part = try PartialFile.open(for: file, location: Self.url)
    let beside = try PartialFile.open(for: other, location: Self.url)
    beside.letGo()
    _ = try part.take(head(200, ["ETag": "\"v1\""]))
    _ = try part.take(Data("abc".utf8))
    part.letGo()
    let next = try PartialFile.open(for: file, location: Self.url)
    #expect(next.isResumable)
    _ = try next.take(head(206, ["Content-Range": "bytes 3-5/6", "ETag": "\"v1\""]))
    _ = try next.take(Data("def".utf8))
    #expect(try next.finish() != nil)
    #expect(try folder.names == [name])
    #expect(try Data(contentsOf: file) == Data("abcdef".utf8))
  }

  @Test("A name that is too long for the system fails at once")
  func tooLongName() throws {
    let folder = try TemporaryFolder()
    let file = folder.url.appendingPathComponent(String(repeating: "n", count: 256))
    let error = #expect(throws: RESTError.self) {
      try PartialFile.open(for: file, location: Self.url)
    }
    #expect(error?.kind == .file)
    #expect(try folder.names.isEmpty)
  }
}
