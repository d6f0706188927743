import RESTKitReports

/// An error that says why a recording cannot be played.
public enum RecordingError: Error, Sendable, Hashable, CustomStringConvertible {
  /// There is no file at the path, and recording is off.
  case missing(path: String)
  /// The file cannot be read.
  case unreadable(path: String, reason: String)
  /// ``StubTransport`` cannot play the file.
  case invalid(path: String, reason: HARError)
  /// The environment variable `RESTKIT_RECORD` has an unknown value.
  case invalidMode(String)

  public var description: String {
    switch self {
    case .missing(let path):
      """
      There is no recording at \(path).
      Run the test with RESTKIT_RECORD=1 where it reaches the server, and check the file in.
      """
    case .unreadable(let path, let reason):
      "The recording \(path) cannot be read: \(reason) Check its permissions."
    case .invalid(let path, let reason):
      """
      The recording \(path) cannot be played: \(reason.path) is not \(reason.expectation).
      Record it again with RESTKIT_RECORD=1.
      """
    case .invalidMode(let value):
      "RESTKIT_RECORD is \(value.debugDescription). Set it to 1 to record or to 0 to play, or remove it."
    }
  }
}
