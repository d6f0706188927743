extension Result where Success: Sendable {
  /// A publisher of the success, followed by the end, or of the failure.
  @inlinable public var publisher: Result.Publisher { Result.Publisher(self) }

  /// A publisher of a result.
  @frozen public struct Publisher: Streams.Publisher {
    public typealias Output = Success

    public let result: Result<Success, Failure>

    @inlinable public init(_ result: Result<Success, Failure>) {
      self.result = result
    }

    /// Creates a publisher of a success.
    @inlinable public init(_ output: Success) {
      self.init(.success(output))
    }

    /// Creates a publisher of a failure.
    @inlinable public init(_ failure: Failure) {
      self.init(.failure(failure))
    }

    @inlinable public func receive(subscriber: some Subscriber<Success, Failure>) {
      switch result {
      case .success(let output):
        PullSubscription.start(output, for: subscriber)
      case .failure(let error):
        Fail(error: error).receive(subscriber: subscriber)
      }
    }
  }
}
