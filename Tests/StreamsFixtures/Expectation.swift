/// Checks on the fly that numbers come in order, without an array of them.
///
/// Its state is a plain variable on purpose: ThreadSanitizer then sees whether deliveries happen
/// one after another.
package final class Expectation: @unchecked Sendable {
  // Unchecked because the contract under test (C-1) makes it safe.
  private var next = 0
  private var isBroken = false

  package init() {}

  package func take(_ value: Int) {
    if value != next { isBroken = true }
    next += 1
  }

  package func isInOrder(count: Int) -> Bool { !isBroken && next == count }
}
