/// Why what a server sent cannot be put behind the part of a file that is there.
enum PartialFileMismatch: Error, CustomStringConvertible {
  /// The answer is 416.
  case pastTheEnd
  /// The answer is 206, and no part was asked for.
  case unasked
  case severalParts
  case otherRange
  case noVersion
  case otherVersion
  case otherTotal
  case noTotal
  case encoded
  /// The body has not the bytes that `Content-Range` says.
  case otherLength

  /// What a log says behind "because".
  var description: String {
    switch self {
    case .pastTheEnd: "the server has no bytes behind the part that is there"
    case .unasked: "the server sent a part, and all was asked for"
    case .severalParts: "the server sent several parts in one"
    case .otherRange: "the server sent another part than was asked for"
    case .noVersion: "the server did not say of which version its part is"
    case .otherVersion: "the server's part is of another version"
    case .otherTotal: "the server's part is of a file of another length"
    case .noTotal: "the server did not say how long the file is"
    case .encoded: "the server encoded its part"
    case .otherLength: "the server's part has another length than it says"
    }
  }
}
