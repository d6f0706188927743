/// The reason why the figures are not valid.
public struct Unsound: Error {
  public let reason: String

  public init(_ reason: String) {
    self.reason = reason
  }
}

/// The fault of a command line.
public struct BadOption: Error {
  public let reason: String

  public init(_ reason: String) {
    self.reason = reason
  }
}
