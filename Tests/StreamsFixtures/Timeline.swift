import Streams
import StreamsTesting

/// A publisher that plays a line of signs, ten milliseconds each, from each subscription on: `-`
/// nothing, `|` the end, `#` a failure, anything else a value.
package struct Timeline: Publisher {
  package typealias Output = String
  package typealias Failure = TestError

  let signs: String
  let scheduler: TestScheduler
  package let subscriptions: Tally

  package init(signs: String, scheduler: TestScheduler, subscriptions: Tally = Tally()) {
    self.signs = signs
    self.scheduler = scheduler
    self.subscriptions = subscriptions
  }

  package func receive<Downstream: Subscriber>(subscriber: Downstream)
  where Downstream.Input == String, Downstream.Failure == TestError {
    subscriptions.add()
    let isActive = Box(true)
    let subscription = CountingSubscription()
    let log = AnyCancellable { isActive.set(false) }
    subscriber.receive(
      subscription: TimelineSubscription(requests: subscription, stop: log))
    for (frame, sign) in signs.enumerated() where sign != "-" {
      _ = scheduler.schedule(after: .milliseconds(10 * frame)) {
        guard isActive.value == true else { return }
        switch sign {
        case "|": subscriber.receive(completion: .finished)
        case "#": subscriber.receive(completion: .failure(.first))
        default: _ = subscriber.receive(String(sign))
        }
      }
    }
  }
}

private struct TimelineSubscription: Subscription {
  let requests: CountingSubscription
  let stop: AnyCancellable

  func request(_ demand: Subscribers.Demand) { requests.request(demand) }
  func cancel() { stop.cancel() }
}

/// Plays a line through operators and returns the result as a line.
package func timeline(
  _ signs: String,
  _ build: (Timeline, TestScheduler) -> AnyPublisher<String, TestError>
) -> String {
  let scheduler = TestScheduler()
  let events = Recording<(frame: Int, sign: String)>()
  let add: @Sendable (String) -> Void = { sign in
    events.add((Int(scheduler.now / .milliseconds(10)), sign))
  }
  let cancellable = build(Timeline(signs: signs, scheduler: scheduler), scheduler).sink(
    receiveCompletion: { if case .finished = $0 { add("|") } else { add("#") } },
    receiveValue: { add($0) })
  scheduler.run(limit: 1_000)
  cancellable.cancel()
  var line = ""
  let frames = Dictionary(grouping: events.elements, by: \.frame)
  for frame in 0...(frames.keys.max() ?? 0) {
    let signs = frames[frame, default: []].map(\.sign)
    line += signs.isEmpty ? "-" : signs.count == 1 ? signs[0] : "(\(signs.joined()))"
  }
  return line
}
