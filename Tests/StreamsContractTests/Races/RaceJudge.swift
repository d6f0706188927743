import Streams
import StreamsFixtures
import Synchronization

/// A subscriber that requests as planned and checks its signals against the contract.
final class RaceJudge: Subscriber {
  typealias Input = Int
  typealias Failure = TestError

  private let initialDemand: Subscribers.Demand
  /// The value from inside which it cancels, counted from one.
  private let cancelsAt: Int?
  private let isInside = Atomic<Bool>(false)
  private let asked = Atomic<Int>(0)
  private let received = Atomic<Int>(0)
  private let ends = Atomic<Int>(0)
  private let isCancelledInside = Atomic<Bool>(false)
  private let isCancelledOutside = Atomic<Bool>(false)
  private let late = Atomic<Int>(0)
  private let keeper = SubscriptionKeeper()
  private let broken = Recording<String>()

  init(demand: Subscribers.Demand, cancelsAt: Int? = nil) {
    initialDemand = demand
    self.cancelsAt = cancelsAt
  }

  /// The ids of the broken rules.
  var faults: [String] { broken.elements }
  var hasEnded: Bool { ends.load(ordering: .acquiring) > 0 }
  var isCancelled: Bool {
    isCancelledInside.load(ordering: .acquiring) || isCancelledOutside.load(ordering: .acquiring)
  }

  func request(_ demand: Subscribers.Demand) {
    // Counted before it is made: the answer may come from inside.
    note(demand)
    keeper.subscription?.request(demand)
  }

  func cancel() {
    keeper.subscription?.cancel()
    isCancelledOutside.store(true, ordering: .sequentiallyConsistent)
  }

  func forget() {
    keeper.keep(Subscriptions.empty)
  }

  func receive(subscription: any Subscription) {
    keeper.keep(subscription)
    request(initialDemand)
  }

  func receive(_ input: Int) -> Subscribers.Demand {
    enter()
    defer { isInside.store(false, ordering: .releasing) }
    if hasEnded { broken.add("C-2: a value after the end") }
    let count = received.add(1, ordering: .sequentiallyConsistent).newValue
    let asked = asked.load(ordering: .sequentiallyConsistent)
    if asked != .max, count > asked { broken.add("C-3: \(count) values, \(asked) asked for") }
    if count == cancelsAt {
      keeper.subscription?.cancel()
      isCancelledInside.store(true, ordering: .sequentiallyConsistent)
    }
    return .none
  }

  func receive(completion: Subscribers.Completion<TestError>) {
    enter()
    defer { isInside.store(false, ordering: .releasing) }
    if ends.add(1, ordering: .acquiringAndReleasing).oldValue > 0 {
      broken.add("C-2: a second end")
    }
  }

  private func enter() {
    if isInside.exchange(true, ordering: .acquiring) { broken.add("C-1: two signals at once") }
    if isCancelledInside.load(ordering: .sequentiallyConsistent) {
      broken.add("C-4: a signal after a cancel from inside")
    } else if isCancelledOutside.load(ordering: .sequentiallyConsistent),
      late.add(1, ordering: .relaxed).newValue > 1
    {
      broken.add("C-4: a second signal after a cancel")
    }
  }

  private func note(_ demand: Subscribers.Demand) {
    guard let count = demand.max else {
      return asked.store(.max, ordering: .sequentiallyConsistent)
    }
    if asked.load(ordering: .relaxed) != .max {
      asked.add(count, ordering: .sequentiallyConsistent)
    }
  }
}
