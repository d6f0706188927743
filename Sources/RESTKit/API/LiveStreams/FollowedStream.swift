import Foundation
import Streams

/// One subscription to a stream that is followed: its decisions after each response.
final class FollowedStream<Output: Sendable>: RepeatDecision {
  let call: RepeatedCall
  private let request: AnyPublisher<Output, any Error>
  private let delivery: StreamDelivery<Output>
  /// Returns the head that a value is; nil for another value.
  private let head: @Sendable (Output) -> ResponseHead?
  private let machine: Lock<ReconnectMachine>

  private init(
    _ request: AnyPublisher<Output, any Error>, delivery: StreamDelivery<Output>,
    _ policy: ReconnectPolicy, call: RepeatedCall,
    head: @escaping @Sendable (Output) -> ResponseHead?
  ) {
    self.call = call
    self.request = request
    self.delivery = delivery
    self.head = head
    machine = Lock(ReconnectMachine(policy, rule: call.rule))
  }

  /// Returns a stream as a publisher that starts again for each subscription.
  ///
  /// - Parameters:
  ///   - delivery: A closure that makes the record of a subscription's delivered values.
  ///   - head: A closure that returns the head that a value is; nil for another value.
  static func publisher(
    of request: AnyPublisher<Output, any Error>, _ policy: ReconnectPolicy,
    delivery: @escaping @Sendable () -> StreamDelivery<Output>,
    head: @escaping @Sendable (Output) -> ResponseHead?
  ) -> AnyPublisher<Output, any Error> {
    DeferredInContext { context in
      let delivery = delivery()
      let retry = policy.retryOfStream(besides: nil)
      let clock = retry.scheduler(timedIn: retry.time.inUse) { nil }
      let call = RepeatedCall(retry, cause: .reconnect, in: context) { options in
        delivery.join(&options)
        options.stageOfPieces = { events, request in
          SilenceLimit(
            events: events,
            rules: StreamSilence.Rules(policy) {
              200...299 ~= $0.statusCode
            } request: {
              request
            },
            scheduler: clock, isOnScheduler: true
          )
          .eraseToAnyPublisher()
        }
      }
      return FollowedStream(request, delivery: delivery, policy, call: call, head: head)
        .attempts(in: context)
    }
    .eraseToAnyPublisher()
  }

  func attempt(_ number: Int) -> AnyPublisher<Output, any Error> {
    machine.withLock { $0.begin() }
    // A token may expire more than once while the server is unreachable.
    if number > 1 { call.logical.renewRefresh() }
    return request
  }

  func outcome(of value: Output) -> AttemptOutcome? {
    guard let head = head(value) else { return nil }
    guard 200...299 ~= head.statusCode else {
      return .status(
        head.statusCode, retryAfter: head.headers.retryAfter(now: call.policy.wallClock()))
    }
    call.noteSuccess()
    return nil
  }

  func outcome(of end: Subscribers.Completion<any Error>) -> AttemptOutcome? {
    switch end {
    case .finished: .ended
    case .failure(let error):
      delivery.isReplaced(by: error)
        ? .replaced
        : AttemptOutcome(ofConnection: error, now: call.policy.wallClock())
          .reading(error, by: call.policy)
    }
  }

  func step(after outcome: AttemptOutcome) -> RepeatStep {
    if outcome == .replaced { delivery.beginAgain() }
    return call.step(after: outcome, by: machine)
  }

  func note(_ value: Output) {
    guard delivery.note(value) else { return }
    machine.withLock { $0.noteDelivery() }
  }
}
