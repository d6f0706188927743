import Fixtures
import Foundation
import Testing

@testable import RESTKit

extension TemporaryFolder {
  /// Leaves what an earlier download of `file` left: a part and its note.
  func leavePart(
    _ bytes: Data, tag: String = "\"v1\"", of location: String, total: Int64? = nil
  ) throws {
    _ = try file(".file.part", bytes)
    let head = ResponseHead(
      url: try #require(URL(string: "https://api.example.com")), statusCode: 200,
      headers: ["ETag": tag])
    let note = try #require(PartialFileNote(of: head, location: location))
    _ = try file(".file.part.json", JSONEncoder().encode(note.with(total: total)))
  }
}
