/// The failure of the upstreams that the kit plays.
public struct ConformanceError: Error, Hashable, Sendable {
  public init() {}
}
