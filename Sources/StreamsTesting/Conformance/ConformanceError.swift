/// The failure of the upstreams that the kit provides.
public struct ConformanceError: Error, Hashable, Sendable {
  public init() {}
}
