import Foundation

/// When ``StubTransport/record(to:over:mode:secrets:shown:bodyLimit:scheduler:fileID:filePath:line:column:)``
/// records, and when it plays.
public enum RecordingMode: Sendable, Hashable {
  /// As the environment says, and else ``once``.
  ///
  /// `RESTKIT_RECORD=1` is ``always`` and `RESTKIT_RECORD=0` is ``never``. Without that variable,
  /// `CI=true` is ``never``: a build server must not record what nobody has looked at.
  case automatic
  /// Plays the file; where there is none, records it.
  case once
  /// Records the file anew.
  case always
  /// Plays the file; where there is none, that is an error.
  case never
}

extension RecordingMode {
  /// The variable that says what to do.
  static let variable = "RESTKIT_RECORD"

  /// The mode that holds in an environment; never ``automatic``.
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
