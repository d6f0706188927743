import StreamsFixtures
import StreamsTesting
import Testing

@testable import Streams

@Suite("How timed operators deliver and keep their timers", .leakFree)
struct TimedDriverTests {
  typealias Source = PassthroughSubject<Int, Never>
  typealias Subscriber = TestSubscriber<Int, Never>

  /// Rings at the second that the last value names, and gives the second at which it rang.
  private struct AlarmStage: Publishers.TimedStage {
    typealias Input = Int
    typealias Output = Int
    typealias Failure = Never

    var demands = Recording<Subscribers.Demand>()

    mutating func receive(
      _ event: Publishers.TimedEvent<Int, Never>, outlet: inout Publishers.Outlet<Int, Never>
    ) {
      switch event {
      case .begin: outlet.request = .unlimited
      case .demand(let demand): demands.add(demand)
      case .value(let second): outlet.deadline = .seconds(second)
      case .wake: outlet.send(Int(outlet.now / .seconds(1)))
      case .delivery: break
      case .end(let completion): outlet.end = .afterValues(completion)
      }
    }
  }

  /// Passes values on, and does something at each delivery.
  ///
  /// Its deadline finishes the stream.
  private struct DeliveryStage: Publishers.TimedStage {
    typealias Input = Int
    typealias Output = Int
    typealias Failure = Never

    let onDelivery: @Sendable (inout Publishers.Outlet<Int, Never>) -> Void

    mutating func receive(
      _ event: Publishers.TimedEvent<Int, Never>, outlet: inout Publishers.Outlet<Int, Never>
    ) {
      switch event {
      case .begin: outlet.request = .unlimited
      case .demand: break
      case .value(let value): outlet.send(value)
      case .wake: outlet.end = .lapsed { .finished }
      case .delivery: onDelivery(&outlet)
      case .end(let completion): outlet.end = .afterValues(completion)
      }
    }
  }

  @Test("A deadline that a stage sets at a delivery counts from the delivery and needs no event")
  func deadlineAtDelivery() {
    let scheduler = HeldJobs()
    let source = TestPublisher<Int, Never>()
    let stage = DeliveryStage { $0.deadline = $0.now.adding(.seconds(1)) }
    let subscriber = Subscriber()
    Publishers.Timed(source, stage, scheduler: scheduler).subscribe(subscriber)
    source.send(7)
    scheduler.base.advance(by: .seconds(5))
    scheduler.runAll()
    #expect(subscriber.values == [7])
    #expect(scheduler.base.pendingCount == 1)
    scheduler.base.advance(by: .milliseconds(999))
    #expect(!subscriber.isFinished)
    scheduler.base.advance(by: .milliseconds(1))
    #expect(subscriber.isFinished)
    #expect(source.cancelCount == 1)
  }

  @Test("A stage that ends at a delivery cancels the upstream and the timer")
  func endAtDelivery() {
    let scheduler = TestScheduler()
    let source = TestPublisher<Int, Never>()
    let stage = DeliveryStage { outlet in
      if outlet.deadline == nil {
        outlet.deadline = outlet.now.adding(.seconds(9))
      } else {
        outlet.end = .lapsed { .finished }
      }
    }
    let subscriber = Subscriber()
    Publishers.Timed(source, stage, scheduler: scheduler).subscribe(subscriber)
    for value in 1...2 {
      source.send(value)
      scheduler.advance()
    }
    #expect(subscriber.values == [1, 2])
    #expect(subscriber.isFinished)
    #expect(source.cancelCount == 1)
    #expect(scheduler.pendingCount == 0)
  }

  @Test("An earlier deadline replaces a later one and cancels its timer")
  func earlier() {
    let scheduler = TestScheduler()
    let source = Source()
    let subscriber = Subscriber()
    Publishers.Timed(source, AlarmStage(), scheduler: scheduler).subscribe(subscriber)
    source.send(5)
    #expect(scheduler.pendingCount == 1)
    source.send(2)
    #expect(scheduler.pendingCount == 1)
    scheduler.advance(by: .seconds(2))
    #expect(subscriber.values == [2])
    #expect(scheduler.pendingCount == 0)
  }

  @Test("A stage is told of demand, and not of a returned demand of none")
  func demand() {
    let scheduler = TestScheduler()
    let source = Source()
    let stage = AlarmStage()
    let subscriber = Subscriber(demand: .max(2)) { _, value in value == 1 ? .none : .max(3) }
    Publishers.Timed(source, stage, scheduler: scheduler).subscribe(subscriber)
    for second in 1...2 {
      source.send(second)
      scheduler.advance(by: .seconds(1))
    }
    #expect(subscriber.values == [1, 2])
    #expect(stage.demands.elements == [.max(2), .max(3)])
  }

  @Test("C-4: a timer that is being set during a cancel is cancelled")
  func cancelWhileSetting() {
    let keeper = SubscriptionKeeper()
    let source = Source()
    let scheduler = BusyTimers { keeper.subscription?.cancel() }
    Publishers.Timed(source, AlarmStage(), scheduler: scheduler)
      .subscribe(KeptSubscriber<Int, Never>(keeper: keeper))
    source.send(5)
    #expect(scheduler.base.pendingCount == 0)
    keeper.keep(Subscriptions.empty)
  }

  @Test("A timer delivers 256 values by itself, and a later job delivers the rest")
  func batches() {
    let scheduler = HeldJobs()
    let source = Source()
    let subscriber = Subscriber()
    source.delay(for: .seconds(1), scheduler: scheduler).subscribe(subscriber)
    for value in 0..<300 { source.send(value) }
    #expect(scheduler.count == 0)
    scheduler.base.advance(by: .seconds(1))
    #expect(subscriber.values == Array(0..<256))
    #expect(scheduler.count == 1)
    scheduler.runAll()
    #expect(subscriber.values == Array(0..<300))
    #expect(scheduler.count == 0)
  }

  @Test("A value without demand schedules no job")
  func noJob() {
    let scheduler = TestScheduler()
    let source = Source()
    let subscriber = Subscriber(demand: .none)
    source.throttle(for: .seconds(1), scheduler: scheduler, latest: true).subscribe(subscriber)
    source.send(1)
    #expect(scheduler.pendingCount == 0)
    subscriber.request(.max(1))
    #expect(scheduler.pendingCount == 1)
    scheduler.advance()
    #expect(subscriber.values == [1])
  }

  @Test("A group that closes before it is full leaves the rest of its demand to the next group")
  func demandOfEarlyGroup() {
    let scheduler = TestScheduler()
    let source = TestPublisher<Int, Never>()
    let subscriber = TestSubscriber<[Int], Never>(demand: .max(1)) { _, _ in .max(1) }
    source.collect(.byTimeOrCount(scheduler, .seconds(1), 3)).subscribe(subscriber)
    #expect(source.requests == [.max(3)])
    source.send(1)
    scheduler.advance(by: .seconds(1))
    #expect(subscriber.values == [[1]])
    #expect(source.requests == [.max(3), .max(1)])
    for value in 2...4 { source.send(value) }
    scheduler.advance()
    #expect(subscriber.values == [[1], [2, 3, 4]])
    #expect(source.requests == [.max(3), .max(1), .max(3)])
    subscriber.cancel()
  }

  @Test(
    "A group that its first value fills is delivered at once, without a timer",
    arguments: [1, 0, -3])
  func groupsOfOne(count: Int) {
    let scheduler = TestScheduler()
    let source = Source()
    let subscriber = TestSubscriber<[Int], Never>()
    source.collect(.byTimeOrCount(scheduler, .seconds(1), count)).subscribe(subscriber)
    source.send(7)
    scheduler.advance()
    #expect(subscriber.values == [[7]])
    #expect(scheduler.pendingCount == 0)
  }
}

/// Does something else while a timer is being set.
private struct BusyTimers: Scheduler {
  let base = TestScheduler()
  let meanwhile: @Sendable () -> Void

  init(meanwhile: @escaping @Sendable () -> Void) {
    self.meanwhile = meanwhile
  }

  var now: Duration { base.now }

  func schedule(_ action: @escaping @Sendable () -> Void) { base.schedule(action) }

  func schedule(
    after delay: Duration, _ action: @escaping @Sendable () -> Void
  ) -> any Cancellable {
    let timer = base.schedule(after: delay, action)
    meanwhile()
    return timer
  }
}

/// Keeps jobs until the test runs them; timers ring as the base says.
private final class HeldJobs: Scheduler {
  let base = TestScheduler()
  private let jobs = Lock<[@Sendable () -> Void]>([])

  var count: Int { jobs.withLock { $0.count } }
  var now: Duration { base.now }

  func runAll() {
    let all = jobs.withLock { jobs in
      defer { jobs = [] }
      return jobs
    }
    for job in all { job() }
  }

  func schedule(_ action: @escaping @Sendable () -> Void) {
    jobs.withLock { $0.append(action) }
  }

  func schedule(
    after delay: Duration, _ action: @escaping @Sendable () -> Void
  ) -> any Cancellable {
    base.schedule(after: delay, action)
  }
}
