/// An error that says why a file or a folder of stubs cannot be used.
///
/// The test gets it as a ``StubFailure`` of kind ``StubFailure/Kind/invalidStub``.
public struct StubFileError: Error, Sendable, CustomStringConvertible {
  /// The path of the file or the folder.
  public let path: String
  /// The member of the file, such as `response.status`; nil for all of it.
  public let member: String?
  /// What is wrong with it, and what it may be.
  public let reason: String

  public var description: String {
    "\(path)\(member.map { ", \($0)" } ?? ""): \(reason)"
  }
}
