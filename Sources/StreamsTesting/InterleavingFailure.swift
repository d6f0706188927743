/// What failed, and in which of many orders: run that one again to see it again.
public struct InterleavingFailure: Error, CustomStringConvertible {
  /// The order: `seed 42`, or the turns of an ``Interleaving``.
  public let order: String
  /// What the body threw.
  public let underlying: any Error

  public var description: String { "\(order): \(underlying)" }
}
