import Dispatch
import Streams
import StreamsTesting

/// Lets virtual time wait, in each frame, for what a diagram says comes in it.
///
/// What comes from a task comes when the task runs: so no frame ends before its signals are here.
struct Settled<Upstream: Publisher>: Publisher {
  typealias Output = Upstream.Output
  typealias Failure = Upstream.Failure

  let upstream: Upstream
  let marbles: Marbles
  /// The frame of each signal.
  let frames: [Int]

  func receive<Downstream: Subscriber>(subscriber: Downstream)
  where Downstream.Input == Output, Downstream.Failure == Failure {
    let arrivals = DispatchSemaphore(value: 0)
    let isLate = Box(false)
    upstream.receive(subscriber: Counter(downstream: subscriber, arrivals: arrivals))
    for frame in frames {
      // Scheduled after what the sources do in that frame. The limit is for a signal that never
      // comes, which then shows in the diagram; other tests may keep all threads of tasks for long.
      _ = marbles.scheduler.schedule(after: marbles.frame * frame) {
        if isLate.value == true { return }
        if arrivals.wait(timeout: .now() + 300) == .timedOut { isLate.set(true) }
      }
    }
  }

  private struct Counter<Downstream: Subscriber>: Subscriber
  where Downstream.Input == Output, Downstream.Failure == Failure {
    let downstream: Downstream
    let arrivals: DispatchSemaphore

    func receive(subscription: any Subscription) {
      downstream.receive(subscription: subscription)
    }

    func receive(_ input: Output) -> Subscribers.Demand {
      defer { arrivals.signal() }
      return downstream.receive(input)
    }

    func receive(completion: Subscribers.Completion<Failure>) {
      downstream.receive(completion: completion)
      arrivals.signal()
    }
  }
}
