import RESTKit
import Streams

/// Plays a script without a network, in the time of a scheduler: one reference to count for each exchange.
final class StubMemory: StubWorld {
  private let scheduler: any Scheduler
  /// What an answer that never comes waits on.
  private let silence: any Scheduler

  /// - Parameters:
  ///   - scheduler: What delays wait on.
  ///   - silence: What an answer that never comes waits on; by default the same.
  init(scheduler: any Scheduler, silence: (any Scheduler)? = nil) {
    self.scheduler = scheduler
    self.silence = silence ?? scheduler
  }

  var limits: TransportLimits { TransportLimits() }

  func answer(_ turn: StubTurn) -> AnyPublisher<RESTResponse, any Error> {
    Single { [self] resolve in
      if let response = turn.responseAtOnce {
        turn.end(.success(response))
        resolve(.success(response))
        return Subscriptions.empty
      }
      let timeline = StubTimeline(of: turn, within: .exchange)
      let (result, time) = (timeline.response, timeline.duration)
      guard time > .zero else {
        turn.end(result)
        resolve(result)
        return Subscriptions.empty
      }
      let clock = timeline.endsInSilence ? silence : scheduler
      let work = clock.schedule(after: time) {
        turn.end(result)
        resolve(result)
      }
      return AnyCancellable {
        work.cancel()
        turn.cancel()
      }
    }
    .eraseToAnyPublisher()
  }

  func pieces(_ turn: StubTurn) -> AnyPublisher<TransferEvent, any Error> {
    StubPlayback(
      timeline: StubTimeline(of: turn, within: .silence), scheduler: scheduler, silence: silence
    )
    .eraseToAnyPublisher()
  }
}
