/// The identity of a part of a pipeline that a retry repeats, or that is sent again after a refresh.
///
/// Each subscription to such a stage makes one. Parts of one call may run concurrently and inside each
/// other. A repetition of one part does not affect its siblings. The object has no other content,
/// because a call stores the part of each request that must not run twice.
final class RepeatedPart: Sendable {
  private let outer: RepeatedPart?

  /// - Parameter outer: The enclosing part, if there is one.
  init(of outer: RepeatedPart? = nil) {
    self.outer = outer
  }

  /// Whether a part is this one or inside it.
  func contains(_ part: RepeatedPart) -> Bool {
    var next: RepeatedPart? = part
    while let part = next {
      if part === self { return true }
      next = part.outer
    }
    return false
  }
}
