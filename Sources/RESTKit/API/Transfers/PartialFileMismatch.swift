/// The reason why a server's bytes cannot be appended to the present part of a file.
enum PartialFileMismatch: Error, CustomStringConvertible {
  /// The response is a 416.
  case pastTheEnd
  /// The response is a 206, but no part was requested.
  case unasked
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
