import Fixtures
import Foundation
import Testing

@testable import RESTKit

/// A folder of its own for a token file, with what a test looks at and breaks.
struct TokenFolder {
  private let parent: TemporaryFolder
  let url: URL

  init() throws {
    parent = try TemporaryFolder()
    url = parent.url.appendingPathComponent("private")
  }

  var file: URL { url.appendingPathComponent("credential.json") }
  var leftover: URL { url.appendingPathComponent(".credential.json.new") }
  var lock: URL { url.appendingPathComponent(".credential.json.lock") }

  var store: FileTokenStore { FileTokenStore(file: file) }

  var names: Set<String> {
    get throws { Set(try FileManager.default.contentsOfDirectory(atPath: url.path)) }
  }

  func mode(of url: URL) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
  }

  func setMode(_ mode: Int, of url: URL) throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path)
  }

  /// Makes the folder with a file of this content, as the store would.
  func put(_ content: String) throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    try setMode(0o700, of: url)
    try Data(content.utf8).write(to: file)
    try setMode(0o600, of: file)
  }
}
