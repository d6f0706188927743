import RESTKit
import Streams

/// Plays a script without a network, in the time of a scheduler.
struct StubMemory: StubWorld {
  let scheduler: any Scheduler
  var limits: TransportLimits { TransportLimits() }

  func answer(_ turn: StubTurn) -> AnyPublisher<RESTResponse, any Error> {
    Single { [scheduler] resolve in
      let timeline = StubTimeline(of: turn, within: .exchange)
      let (result, time) = (timeline.response, timeline.duration)
      guard time > .zero else {
        turn.end(result)
        resolve(result)
        return Subscriptions.empty
      }
      let work = scheduler.schedule(after: time) {
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
    StubPlayback(timeline: StubTimeline(of: turn, within: .silence), scheduler: scheduler)
      .eraseToAnyPublisher()
  }
}
