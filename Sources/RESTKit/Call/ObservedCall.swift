import Streams

/// The call that a verb's subscription belongs to, if anybody counts, records or observes.
///
/// Where nobody downstream has made one, but somebody observes the transport, the verb makes it, and
/// ends it.
struct ObservedCall: Sendable {
  let call: CallPart?
  private let own: LogicalCall?

  init(on transport: any Transport, in context: SubscriptionContext) {
    let observer = transport.observer.flatMap { $0.isListenedTo ? $0 : nil }
    let others = context[CallPart.Key.self]
    own = others == nil ? observer.map { LogicalCall(clock: $0.clock) } : nil
    call = others ?? own.map { CallPart(of: $0) }
    if let observer { call?.journal.report(to: observer) }
  }

  func ending<Output>(
    _ exchange: AnyPublisher<Output, any Error>
  ) -> AnyPublisher<Output, any Error> {
    guard let own else { return exchange }
    return exchange.ending(own.journal).eraseToAnyPublisher()
  }

  /// Records why nothing was sent.
  func noting(_ error: any Error) -> any Error {
    call.map { error.recorded(in: $0.journal) } ?? error
  }
}

extension Publisher {
  /// Ends a call when this ends, or is cancelled: for who made the call.
  func ending(_ journal: CallJournal) -> some Publisher<Output, Failure> {
    handleEvents(
      receiveCompletion: { completion in
        if case .failure(let error) = completion {
          journal.end(failure: error)
        } else {
          journal.end()
        }
      },
      receiveCancel: { journal.end(isCancelled: true) })
  }
}

extension Relay {
  /// Ends a call when this ends, or is cancelled, unless somebody downstream has that call.
  init(_ first: RelayLeg<Rule>, ending call: LogicalCall, in context: SubscriptionContext) {
    if context.call == nil {
      self.init(first) { end in call.journal.end(with: end) }
    } else {
      self.init(first)
    }
  }
}
