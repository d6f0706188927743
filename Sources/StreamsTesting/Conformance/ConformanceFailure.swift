/// Thrown by a check when a rule was broken; its text names each, with what was seen and the remedy.
public struct ConformanceFailure: Error, CustomStringConvertible {
  public let report: ConformanceReport

  public var description: String { "\(report)" }
}
