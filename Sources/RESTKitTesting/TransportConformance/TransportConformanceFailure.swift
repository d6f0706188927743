/// An error of a check that found broken rules; its text names each rule with the observation.
public struct TransportConformanceFailure: Error, CustomStringConvertible {
  public let report: TransportConformanceReport

  public var description: String { "\(report)" }
}
