import Dispatch
import Streams
import StreamsFixtures
import StreamsTesting

/// Makes virtual time wait, in each frame, for the signals that a diagram shows in it.
///
/// Signals of a task arrive when the task runs, so no frame ends before its signals have arrived.
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
      // Scheduled after the sources' events of that frame.
      _ = marbles.scheduler.schedule(after: marbles.frame * frame) {
        if isLate.value == true { return }
        if arrivals.wait(timeout: .now() + 60) == .success { return }
        let limit = Self.limit {
          isLate.set(true)
          arrivals.signal()
        }
        arrivals.wait()
        limit.cancel()
      }
    }
  }

  /// Says, of a signal that is long in coming, when it will not come any more, which then shows in
  /// the diagram.
  ///
  /// Other tests may keep all threads of tasks for many minutes. So turns among tasks are counted:
  /// the task of a signal that comes has its turn before.
  private static func limit(_ onEnd: @escaping @Sendable () -> Void) -> Task<Void, Never> {
    Task {
      for _ in 0..<1_000 where !Task.isCancelled { await Task.yield() }
      if !Task.isCancelled { onEnd() }
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
