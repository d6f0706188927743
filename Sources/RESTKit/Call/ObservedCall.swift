import Streams

/// The call that a verb's subscription belongs to, if anybody counts, records or observes.
///
/// Where nobody downstream has made one, but somebody observes the transport, the verb makes it, and
/// ends it.
struct ObservedCall: Sendable {
  /// The context with the call in it.
  let context: SubscriptionContext
  private let own: LogicalCall?

  init(on transport: any Transport, in context: SubscriptionContext) {
    let observer = transport.observer.flatMap { $0.isListenedTo ? $0 : nil }
    let others = context[LogicalCall.Key.self]
    own = others == nil ? observer.map { LogicalCall(clock: $0.clock) } : nil
    if let observer { (others ?? own)?.report(to: observer) }
    self.context = own.map { context.setting(LogicalCall.Key.self, to: $0) } ?? context
  }

  func ending<Output>(
    _ exchange: AnyPublisher<Output, any Error>
  ) -> AnyPublisher<Output, any Error> {
    guard let own else { return exchange }
    return exchange.ending(own).eraseToAnyPublisher()
  }

  /// Records why nothing was sent.
  func noting(_ error: any Error) -> any Error {
    context[LogicalCall.Key.self].map { error.recorded(in: $0) } ?? error
  }
}

extension Publisher {
  /// Ends a call when this ends, or is cancelled, unless somebody downstream has it.
  func ending(
    _ call: LogicalCall, in context: SubscriptionContext
  ) -> AnyPublisher<Output, Failure> {
    context[LogicalCall.Key.self] == nil
      ? ending(call).eraseToAnyPublisher() : eraseToAnyPublisher()
  }

  /// Ends a call when this ends, or is cancelled: for who made the call.
  func ending(_ call: LogicalCall) -> some Publisher<Output, Failure> {
    handleEvents(
      receiveCompletion: { completion in
        if case .failure(let error) = completion { call.end(failure: error) } else { call.end() }
      },
      receiveCancel: { call.end(isCancelled: true) })
  }
}
