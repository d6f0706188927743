import RESTKit
import Streams

/// A player of scripts without a network, in the time of a scheduler.
///
/// It is a class, so that an exchange counts one reference.
final class StubMemory: StubWorld {
  private let scheduler: any Scheduler
  /// The scheduler for responses that never arrive.
  private let silence: any Scheduler
  let limits: TransportLimits

  /// - Parameters:
  ///   - scheduler: The scheduler of delays.
  ///   - silence: The scheduler for responses that never arrive; by default the same.
  ///   - limits: The limits on the size of a response.
  init(
    scheduler: any Scheduler, silence: (any Scheduler)? = nil,
    limits: TransportLimits = TransportLimits()
  ) {
    self.scheduler = scheduler
    self.limits = limits
    self.silence = silence ?? scheduler
  }

  var clock: any Scheduler { silence }

  func answer(_ played: PlayedExchange) -> AnyPublisher<RESTResponse, any Error> {
    Single { [self] resolve in
      if let response = played.responseAtOnce(within: limits) {
        played.end(.success(response))
        resolve(.success(response))
        return Subscriptions.empty
      }
      let timeline = StubTimeline(of: played, within: .exchange, limits: limits)
      let (result, time) = (timeline.response, timeline.duration)
      guard time > .zero else {
        played.end(result)
        resolve(result)
        return Subscriptions.empty
      }
      let clock = timeline.endsInSilence ? silence : scheduler
      let work = clock.schedule(after: time) {
        played.end(result)
        resolve(result)
      }
      return AnyCancellable {
        work.cancel()
        played.cancel()
      }
    }
    .eraseToAnyPublisher()
  }

  func pieces(_ played: PlayedExchange) -> AnyPublisher<TransferEvent, any Error> {
    StubPlayback(
      timeline: StubTimeline(of: played, within: .silence, limits: limits), scheduler: scheduler,
      silence: silence
    )
    .eraseToAnyPublisher()
  }
}
