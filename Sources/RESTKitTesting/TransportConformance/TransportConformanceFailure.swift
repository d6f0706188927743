/// Thrown by a check when a rule was broken; its text names each, with what was seen.
public struct TransportConformanceFailure: Error, CustomStringConvertible {
  public let report: TransportConformanceReport

  public var description: String { "\(report)" }
}
