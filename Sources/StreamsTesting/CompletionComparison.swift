import Streams

extension Subscribers.Completion<any Error>? {
  /// Returns whether two completions of streams with `any Error` are equal.
  ///
  /// A test can thus use `#expect(subscriber.completion == .finished)`.
  ///
  /// Two failures are equal if they have the same type, the type is `Equatable`, and the values are
  /// equal. Errors of a type that is not `Equatable` are never equal. Check `failure` instead.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    switch (lhs, rhs) {
    case (nil, nil), (.finished?, .finished?): true
    case (.failure(let left as any Equatable)?, .failure(let right)?): left.equals(right)
    default: false
    }
  }

  /// Returns whether two completions of streams with `any Error` differ.
  public static func != (lhs: Self, rhs: Self) -> Bool { !(lhs == rhs) }
}

extension Equatable {
  fileprivate func equals(_ other: any Error) -> Bool { self == other as? Self }
}
