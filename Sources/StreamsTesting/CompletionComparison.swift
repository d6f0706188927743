import Streams

extension Subscribers.Completion<any Error>? {
  /// Whether two completions of streams with `any Error` are the same, so that a test can say
  /// `#expect(subscriber.completion == .finished)`.
  ///
  /// Two failures are equal if they have one type, it is `Equatable`, and they are equal by it. Errors
  /// of a type that is not `Equatable` are never equal; look at `failure` instead.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    switch (lhs, rhs) {
    case (nil, nil), (.finished?, .finished?): true
    case (.failure(let left as any Equatable)?, .failure(let right)?): left.equals(right)
    default: false
    }
  }

  /// Whether two completions of streams with `any Error` differ.
  public static func != (lhs: Self, rhs: Self) -> Bool { !(lhs == rhs) }
}

extension Equatable {
  fileprivate func equals(_ other: any Error) -> Bool { self == other as? Self }
}
