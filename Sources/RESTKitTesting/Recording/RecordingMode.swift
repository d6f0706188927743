import Foundation
import RESTKit
import RESTKitReports

/// The rule by which
/// ``StubTransport/record(to:over:mode:secrets:shown:standIn:bodyLimit:scheduler:fileID:filePath:line:column:)``
/// records or plays.
public enum RecordingMode: Sendable, Hashable {
  /// The mode of the environment, or ``once``.
  ///
  /// `RESTKIT_RECORD=1` is ``always`` and `RESTKIT_RECORD=0` is ``never``. Without that variable,
  /// `CI=true` is ``never``, because nobody checks a recording of a build server.
  case automatic
  /// Plays the file, or records it if there is none.
  case once
  /// Always records the file.
  case always
  /// Plays the file; a missing file is an error.
  case never
}

extension RecordingMode {
  /// The environment variable with the mode.
  static let variable = "RESTKIT_RECORD"

  /// Returns the mode in an environment; never ``automatic``.
  func resolved(in environment: [String: String]) throws(RecordingError) -> RecordingMode {
    guard self == .automatic else { return self }
    switch environment[Self.variable]?.lowercased() {
    case "1", "true", "yes", "always": return .always
    case "0", "false", "no", "never": return .never
    case "once": return .once
    case nil, "": return Self.isOn(environment["CI"]) ? .never : .once
    case let other?: throw .invalidMode(other)
    }
  }

  private static func isOn(_ value: String?) -> Bool {
    guard let value = value?.lowercased() else { return false }
    return !["", "0", "false", "no"].contains(value)
  }
}

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
      There is no recording at \(path.printable).
      Run the test with RESTKIT_RECORD=1 where it reaches the server, and check the file in.
      """
    case .unreadable(let path, let reason):
      "The recording \(path) cannot be read: \(reason) Check its permissions.".printable
    case .invalid(let path, let reason):
      """
      The recording \(path.printable) cannot be played: \(reason.path) is not \(reason.expectation).
      Record it again with RESTKIT_RECORD=1.
      """
    case .invalidMode(let value):
      "RESTKIT_RECORD is \"\(value.printable)\". "
        + "Set it to 1 to record or to 0 to play, or remove it."
    }
  }
}
