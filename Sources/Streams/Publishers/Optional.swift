extension Optional where Wrapped: Sendable {
  /// A publisher of the wrapped value, if there is one, followed by the end.
  @inlinable public var publisher: Optional.Publisher { Optional.Publisher(self) }

  /// A publisher of an optional's value.
  @frozen public struct Publisher: Streams.Publisher {
    public typealias Output = Wrapped
    public typealias Failure = Never

    public let output: Wrapped?

    @inlinable public init(_ output: Wrapped?) {
      self.output = output
    }

    @inlinable public func receive(subscriber: some Subscriber<Wrapped, Never>) {
      guard let output else {
        Empty().receive(subscriber: subscriber)
        return
      }
      PullSubscription.start(output, for: subscriber)
    }
  }
}

extension Optional.Publisher: BarePublisher {
  @usableFromInline var endsAtOnce: Bool { output == nil }
}
