/// Why the figures would be worth nothing.
public struct Unsound: Error {
  public let reason: String

  public init(_ reason: String) {
    self.reason = reason
  }
}

/// What is wrong with a command line.
public struct BadOption: Error {
  public let reason: String

  public init(_ reason: String) {
    self.reason = reason
  }
}
