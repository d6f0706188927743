import Foundation

/// The rule by which
/// ``StubTransport/record(to:over:mode:secrets:shown:bodyLimit:scheduler:fileID:filePath:line:column:)``
/// records or plays.
public enum RecordingMode: Sendable, Hashable {
  /// The mode of the environment, or ``once``.
  ///
  /// `RESTKIT_RECORD=1` is ``always`` and `RESTKIT_RECORD=0` is ``never``. Without that variable, `CI=true`
  /// is ``never``, because nobody checks a recording of a build server.
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
