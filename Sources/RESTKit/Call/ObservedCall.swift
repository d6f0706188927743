import Streams

/// The call of a verb's subscription, if it is counted, recorded or observed.
///
/// If there is no call downstream, but the transport is observed or the call has a deadline, the verb makes
/// the call and ends it.
struct ObservedCall: Sendable {
  let call: CallPart?
  /// The instruments' objects for the call.
  let instrumented: [any InstrumentedCall]
  private let own: LogicalCall?

  /// - Parameter isRedirectable: Whether a redirect may add a request to the verb's one.
  init(
    on transport: any Transport, in context: SubscriptionContext,
    isRedirectable: @autoclosure () -> Bool
  ) {
    let observer = transport.observer.flatMap { $0.isListenedTo ? $0 : nil }
    let others = context[CallPart.Key.self]
    own = others == nil ? Self.call(toldTo: observer, in: context) : nil
    call = others ?? own.map { CallPart(of: $0) }
    if let observer, let call {
      let mayRepeat = others != nil || isRedirectable()
      instrumented = call.journal.report(to: observer, mayRepeat: mayRepeat)
    } else {
      instrumented = []
    }
  }

  /// Returns a call of the verb's own; nil without an observer and a deadline.
  private static func call(
    toldTo observer: CallObserver?, in context: SubscriptionContext
  ) -> LogicalCall? {
    let clock = observer?.clock ?? context[DeadlineRecord.Key.self]?.deadline.scheduler
    return clock.map { LogicalCall(clock: $0, in: context) }
  }

  /// Begins the call of a pipeline that waits before its verb makes a request.
  ///
  /// So an instrument sees the beginning of the call and the reason of the wait.
  ///
  /// A call from downstream, such as that of a retry, begins as well.
  ///
  /// - Parameter clock: The clock of the call.
  /// - Returns: The pipeline as part of the call, or the same pipeline if there is a call or no
  ///   instrument.
  static func begin<Output>(
    _ pipeline: AnyPublisher<Output, any Error>, on transport: any Transport,
    clock: any Scheduler, in context: SubscriptionContext
  ) -> AnyPublisher<Output, any Error> {
    guard let observer = transport.observer, observer.isInstrumented else { return pipeline }
    if let call = context.call {
      _ = call.journal.report(to: observer, mayRepeat: true)
      return pipeline
    }
    let call = LogicalCall(clock: clock, in: context)
    _ = call.journal.report(to: observer, mayRepeat: true)
    return pipeline.context(CallPart.Key.self, CallPart(of: call)).ending(call)
      .eraseToAnyPublisher()
  }

  func ending<Output>(
    _ exchange: AnyPublisher<Output, any Error>
  ) -> AnyPublisher<Output, any Error> {
    guard let own else { return exchange }
    return exchange.ending(own).eraseToAnyPublisher()
  }

  /// Records why nothing was sent.
  func noting(_ error: any Error) -> any Error {
    call.map { error.recorded(in: $0.journal) } ?? error
  }
}

extension Publisher {
  /// Ends a call when this publisher ends or is cancelled.
  ///
  /// The maker of the call uses it.
  fileprivate func ending(_ call: LogicalCall) -> some Publisher<Output, Failure>
  where Failure == any Error {
    handleEvents(
      receiveCompletion: { call.end(with: $0) }, receiveCancel: { call.end(with: nil) })
  }
}

extension Relay {
  /// Ends a call when this relay ends or is cancelled, unless the call comes from downstream.
  init(_ first: RelayLeg<Rule>, ending call: LogicalCall, in context: SubscriptionContext) {
    if context.call == nil {
      self.init(first) { end in call.end(with: end) }
    } else {
      self.init(first)
    }
  }
}
