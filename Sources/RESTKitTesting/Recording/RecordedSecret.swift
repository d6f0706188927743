import RESTKit

/// A secret that a recording replaces, for which a test may give a stand-in.
///
/// See
/// ``StubTransport/record(to:over:mode:secrets:shown:standIn:bodyLimit:scheduler:fileID:filePath:line:column:)``.
public struct RecordedSecret: Sendable {
  /// The name of the header field, query item, form field, member or element, in its spelling.
  ///
  /// It is the name at the first place of the secret in the recording.
  public let name: String
  /// The secret, without escapes.
  public let value: String
  /// The number of the secret in the recording, from 1.
  public let number: Int

  init(name: String, value: String, number: Int) {
    self.name = name
    self.value = value
    self.number = number
  }
}

extension RecordedSecret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// A text such as `secret 3, access_token`, without the value.
  public var description: String { "secret \(number), \(name.printable)" }

  public var debugDescription: String { description }

  public var customMirror: Mirror { Mirror(self, children: ["name": name, "number": number]) }
}
