/// The time for which an asker is known.
///
/// It is an object, so that its identity is unique.
protocol AskerSpan: AnyObject, Sendable {
  /// A unique text that reveals nothing about the asker.
  var name: String { get }

  var isOver: Bool { get }

  /// Runs an action when the time is over.
  ///
  /// It runs at once if the end was already announced.
  func whenOver(_ action: @escaping @Sendable () -> Void)
}

/// The identity of an asker, the same over all tokens.
///
/// A cache stores responses for one asker.
struct RequestAsker: Hashable, Sendable {
  let span: any AskerSpan

  init(_ span: any AskerSpan) {
    self.span = span
  }

  static func == (lhs: RequestAsker, rhs: RequestAsker) -> Bool { lhs.span === rhs.span }

  func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(span))
  }
}
