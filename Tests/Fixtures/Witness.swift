/// Reports its release.
package final class Witness: Sendable {
  private let onEnd: @Sendable () -> Void

  package init(_ onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }
  deinit { onEnd() }
}
