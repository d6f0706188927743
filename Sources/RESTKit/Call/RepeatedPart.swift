/// Names the part of a pipeline that a retry begins anew, or a refresh sends once more.
///
/// Each subscription to such a stage makes one. Parts of one call may run side by side, and within each
/// other: what one sends again is nothing of its sibling. It is a name and nothing else, since a call
/// remembers the part of each request that must not run twice.
final class RepeatedPart: Sendable {
  private let outer: RepeatedPart?

  /// - Parameter outer: The part that this one belongs to, if it does.
  init(of outer: RepeatedPart? = nil) {
    self.outer = outer
  }

  /// Whether a part is this one or within it.
  func contains(_ part: RepeatedPart) -> Bool {
    var next: RepeatedPart? = part
    while let part = next {
      if part === self { return true }
      next = part.outer
    }
    return false
  }
}
