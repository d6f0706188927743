import Streams

/// The call of a verb's subscription, if it is counted, recorded or observed.
///
/// If there is no call downstream, but the request has a session or a deadline, or the transport is
/// observed, the verb makes the call and ends it.
struct ObservedCall: Sendable {
  let scopedCall: ScopedCall?
  /// The instruments' objects for the call.
  let instrumented: [any InstrumentedCall]
  private let own: LogicalCall?

  /// - Parameters:
  ///   - clock: The clock of the request's session; nil without a session.
  ///   - deadline: The record of the deadline that may end the call; nil without one.
  ///   - isRedirectable: Whether a redirect may add a request to the verb's one.
  init(
    on transport: any Transport, in context: SubscriptionContext,
    clock: CallClock? = nil, under deadline: DeadlineRecord? = nil,
    isRedirectable: @autoclosure () -> Bool
  ) {
    let observer = transport.observer.flatMap { $0.isListenedTo ? $0 : nil }
    let others = context[ScopedCall.Key.self]
    let ownClock =
      others == nil
      ? clock ?? (observer?.clock ?? deadline?.deadline.scheduler).map(CallClock.init) : nil
    own = ownClock.map { LogicalCall(on: $0, under: deadline, in: context) }
    scopedCall = others ?? own.map { ScopedCall(of: $0) }
    if let observer, let scopedCall {
      let mayRepeat = others != nil || clock != nil || isRedirectable()
      instrumented = scopedCall.journal.report(to: observer, mayRepeat: mayRepeat)
    } else {
      instrumented = []
    }
  }

  /// Whether the verb made the call, and has to end it.
  var isOwn: Bool { own != nil }

  func ending<Output>(
    _ exchange: AnyPublisher<Output, any Error>
  ) -> AnyPublisher<Output, any Error> {
    guard let own else { return exchange }
    return exchange.ending(own).eraseToAnyPublisher()
  }

  /// Records why nothing was sent.
  func noting(_ error: any Error) -> any Error {
    scopedCall.map { error.recorded(in: $0.journal) } ?? error
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

/// The reason why a request reaches a transport, for code that stands in for a server.
package struct CallOrigin: Sendable {
  /// The context key of a redirect's cause, for exchanges without a call that counts.
  enum Key: SubscriptionContextKey {
    static var defaultValue: CallCause { .first }
  }

  /// The number of the attempt in its call, from 1.
  ///
  /// Redirects are part of the attempt.
  package let attempt: Int
  package let cause: CallCause
  /// The names of secrets that the API of the call declares; nil for none.
  package let declaredSecrets: DeclaredSecrets?

  /// - Parameter context: The context of the subscriber to the transport's response.
  package init(_ context: SubscriptionContext) {
    declaredSecrets = context[DeclaredSecrets.Key.self]
    if let last = context.call?.lastSending {
      (attempt, cause) = last
    } else {
      (attempt, cause) = (1, context[Key.self])
    }
  }
}
