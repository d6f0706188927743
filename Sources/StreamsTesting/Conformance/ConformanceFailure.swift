/// The error of a check that found broken rules.
///
/// Its text names each rule, what the kit saw, and the remedy.
public struct ConformanceFailure: Error, CustomStringConvertible {
  public let report: ConformanceReport

  public var description: String { "\(report)" }
}
