import Foundation

/// The origin of a part of a file, which a download needs to resume it.
struct PartialFileNote: Codable {
  /// The URL of the file, without the query.
  let location: String
  /// The strong entity tag of the whole file (RFC 9110 §8.8.3).
  ///
  /// Only a strong tag identifies single bytes.
  let entityTag: String
  /// The length of the whole file, as it was first given; nil if it is unknown so far.
  var total: Int64?

  /// - Returns: nil if the response does not allow a resumption.
  init?(of head: ResponseHead, location: String) {
    guard let tag = head.strongTag else { return nil }
    self.location = location
    entityTag = tag
    total = head.contentLength
  }

  /// Reads the note of an earlier download.
  ///
  /// - Returns: nil if there is none, if it is another user's, or if its tag is none, which would
  ///   put other fields into the request.
  init?(at file: URL) {
    guard let handle = try? FileHandle.opening(file.path, O_RDONLY | O_NONBLOCK), handle.isOwn,
      let bytes = try? handle.readBytes(Self.longest),
      let note = try? JSONDecoder().decode(Self.self, from: Data(bytes)),
      note.entityTag.isStrongTag
    else { return nil }
    self = note
  }

  /// The longest note, in bytes.
  private static let longest = 64 << 10

  /// Whether an entity tag is the one of the file, byte for byte.
  func isOf(version tag: String) -> Bool { tag.isSameTag(as: entityTag) }

  func with(total: Int64?) -> PartialFileNote {
    var note = self
    note.total = total
    return note
  }
}

/// The reason why a server's bytes cannot be appended to the present part of a file.
enum PartialFileMismatch: Error, CustomStringConvertible {
  /// The response is a 416.
  case pastTheEnd
  /// The response is a 206, but no part was requested.
  case unasked
  /// The response is a 200 with the `Content-Range` of a part.
  case partAsWhole
  case severalParts
  case otherRange
  case noVersion
  case otherVersion
  case otherTotal
  case noTotal
  case encoded
  /// The body does not have the length of its `Content-Range`.
  case otherLength

  /// The reason in a log, after "because".
  var description: String {
    switch self {
    case .pastTheEnd: "the server has no bytes after the present part"
    case .unasked: "the server sent a part, but the whole file was requested"
    case .partAsWhole: "the server sent a part as if it were the whole file"
    case .severalParts: "the server sent several parts in one response"
    case .otherRange: "the server sent another part than was requested"
    case .noVersion: "the server did not say which version its part belongs to"
    case .otherVersion: "the server's part is of another version"
    case .otherTotal: "the server's part is of a file of another length"
    case .noTotal: "the server did not say how long the file is"
    case .encoded: "the server encoded its part"
    case .otherLength: "the server's part does not have its declared length"
    }
  }
}
