/// Reports its release.
final class Witness: Sendable {
  private let onEnd: @Sendable () -> Void

  init(_ onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }
  deinit { onEnd() }
}
