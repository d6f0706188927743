/// The error of a test that ran in many orders, with the order that failed.
///
/// Run that order again to reproduce the failure.
public struct InterleavingFailure: Error, CustomStringConvertible {
  /// The order: `seed 42`, or the turns of an ``Interleaving``.
  public let order: String
  /// The error from the body.
  public let underlying: any Error

  public var description: String { "\(order): \(underlying)" }
}
