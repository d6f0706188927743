extension Publisher {
  /// Transforms each value with an asynchronous closure, several at a time.
  ///
  /// ```marble
  /// source: -a-b-|
  /// asyncMap { $0 }
  /// result: -a-b-|
  /// ```
  ///
  /// Closures run ahead of demand, and their results wait for demand:
  ///
  /// ```marble
  /// source:        -a-b-|
  /// source demand: 2
  /// asyncMap(maxConcurrent: 2) { $0 }
  /// demand:        -------2
  /// result:        -------(ab|)
  /// ```
  ///
  /// - Demand: Requests values so that the running closures and the results that wait for demand
  ///   together are as many as allowed.
  /// - Errors: The upstream's failure, at once, without the results that wait for demand. Running
  ///   closures are cancelled.
  /// - Completion: When the upstream and all closures have finished and no result waits.
  /// - Cancellation: Cancels the upstream and the tasks of the closures.
  /// - Delivery: In a closure's task, or on the thread of a later request.
  /// - Complexity: One task for each value.
  ///
  /// - Parameters:
  ///   - maxConcurrent: The number of closures that run at a time, at least one.
  ///   - ordered: Whether results keep the order of the values. If false, they arrive as they are
  ///     ready.
  ///   - transform: An asynchronous closure that runs for each value in a task of its own.
  public func asyncMap<NewOutput: Sendable>(
    maxConcurrent: Int = 1, ordered: Bool = true,
    _ transform: @escaping @Sendable (Output) async -> NewOutput
  ) -> Publishers.AsyncMap<Self, NewOutput, Failure> {
    Publishers.AsyncMap<Self, NewOutput, Failure>(
      upstream: self, maxConcurrent: maxConcurrent, ordered: ordered, mapFailure: { $0 },
      transform: transform)
  }

  /// As ``asyncMap(maxConcurrent:ordered:_:)``, with a closure that may throw an error, which ends
  /// the stream.
  ///
  /// ```marble
  /// source: -a-b-|
  /// tryAsyncMap { $0 }
  /// result: -a-b-|
  /// ```
  ///
  /// - Demand: As for ``asyncMap(maxConcurrent:ordered:_:)``.
  /// - Errors: A closure's error or the upstream's failure. An error waits for the closures of
  ///   earlier values if results are ordered, and comes at once otherwise. The failure comes at
  ///   once. Neither waits for demand, and results that do are dropped. Running closures are
  ///   cancelled.
  /// - Completion: When the upstream and all closures have finished and no result waits.
  /// - Cancellation: Cancels the upstream and the tasks of the closures.
  /// - Delivery: In a closure's task, or on the thread of a later request.
  /// - Complexity: One task for each value.
  ///
  /// - Parameters:
  ///   - maxConcurrent: The number of closures that run at a time, at least one.
  ///   - ordered: Whether results keep the order of the values. If false, they arrive as they are
  ///     ready.
  ///   - transform: An asynchronous closure that runs for each value in a task of its own.
  public func tryAsyncMap<NewOutput: Sendable>(
    maxConcurrent: Int = 1, ordered: Bool = true,
    _ transform: @escaping @Sendable (Output) async throws -> NewOutput
  ) -> Publishers.AsyncMap<Self, NewOutput, any Error> {
    Publishers.AsyncMap(
      upstream: self, maxConcurrent: maxConcurrent, ordered: ordered, mapFailure: { $0 },
      transform: transform)
  }

  /// As ``asyncMap(maxConcurrent:ordered:_:)``, with a closure that throws the publisher's failure
  /// type.
  ///
  /// ```marble
  /// source: -a-b-|
  /// tryAsyncMap { (value: String) async throws(TestError) in value }
  /// result: -a-b-|
  /// ```
  ///
  /// - Demand: As for ``asyncMap(maxConcurrent:ordered:_:)``.
  /// - Errors: A closure's error or the upstream's failure. An error waits for the closures of
  ///   earlier values if results are ordered, and comes at once otherwise. The failure comes at
  ///   once. Neither waits for demand, and results that do are dropped. Running closures are
  ///   cancelled.
  /// - Completion: When the upstream and all closures have finished and no result waits.
  /// - Cancellation: Cancels the upstream and the tasks of the closures.
  /// - Delivery: In a closure's task, or on the thread of a later request.
  /// - Complexity: One task for each value.
  ///
  /// - Parameters:
  ///   - maxConcurrent: The number of closures that run at a time, at least one.
  ///   - ordered: Whether results keep the order of the values. If false, they arrive as they are
  ///     ready.
  ///   - transform: An asynchronous closure that runs for each value in a task of its own.
  public func tryAsyncMap<NewOutput: Sendable>(
    maxConcurrent: Int = 1, ordered: Bool = true,
    _ transform: @escaping @Sendable (Output) async throws(Failure) -> NewOutput
  ) -> Publishers.AsyncMap<Self, NewOutput, Failure> {
    Publishers.AsyncMap(
      upstream: self, maxConcurrent: maxConcurrent, ordered: ordered, mapFailure: { $0 },
      transform: transform)
  }

  /// As ``asyncMap(maxConcurrent:ordered:_:)``, for a publisher that cannot fail and a closure that
  /// throws a typed error.
  ///
  /// ```marble
  /// source: -a-b-|
  /// tryAsyncMap { (value: String) async throws(TestError) in value }
  /// result: -a-b-|
  /// ```
  ///
  /// - Demand: As for ``asyncMap(maxConcurrent:ordered:_:)``.
  /// - Errors: A closure's error, which waits for the closures of earlier values if results are
  ///   ordered, and comes at once otherwise. It does not wait for demand, and results that do are
  ///   dropped. Running closures are cancelled.
  /// - Completion: When the upstream and all closures have finished and no result waits.
  /// - Cancellation: Cancels the upstream and the tasks of the closures.
  /// - Delivery: In a closure's task, or on the thread of a later request.
  /// - Complexity: One task for each value.
  ///
  /// - Parameters:
  ///   - maxConcurrent: The number of closures that run at a time, at least one.
  ///   - ordered: Whether results keep the order of the values. If false, they arrive as they are
  ///     ready.
  ///   - transform: An asynchronous closure that runs for each value in a task of its own.
  public func tryAsyncMap<NewOutput: Sendable, NewFailure: Error>(
    maxConcurrent: Int = 1, ordered: Bool = true,
    _ transform: @escaping @Sendable (Output) async throws(NewFailure) -> NewOutput
  ) -> Publishers.AsyncMap<Self, NewOutput, NewFailure> where Failure == Never {
    Publishers.AsyncMap(
      upstream: self, maxConcurrent: maxConcurrent, ordered: ordered, mapFailure: impossible,
      transform: transform)
  }
}

extension Publishers {
  /// A publisher of the results of asynchronous closures.
  public struct AsyncMap<Upstream: Publisher, Output: Sendable, Failure: Error>: Publisher {
    public typealias Transform = @Sendable (Upstream.Output) async throws(Failure) -> Output

    public let upstream: Upstream
    public let maxConcurrent: Int
    public let ordered: Bool
    let mapFailure: @Sendable (Upstream.Failure) -> Failure
    public let transform: Transform

    init(
      upstream: Upstream, maxConcurrent: Int, ordered: Bool,
      mapFailure: @escaping @Sendable (Upstream.Failure) -> Failure,
      transform: @escaping Transform
    ) {
      self.upstream = upstream
      self.maxConcurrent = maxConcurrent
      self.ordered = ordered
      self.mapFailure = mapFailure
      self.transform = transform
    }

    public func receive(subscriber: some Subscriber<Output, Failure>) {
      let stage = AsyncMapStage<Output, Failure>(
        limit: Swift.max(maxConcurrent, 1), isOrdered: ordered)
      upstream.receive(
        subscriber: AsyncMapSubscriber(
          driver: TimedDriver(stage, downstream: subscriber, scheduler: nil),
          mapFailure: mapFailure,
          transform: transform))
    }
  }
}

/// A subscriber that starts a task for each value and passes its result to the driver.
private struct AsyncMapSubscriber<Input: Sendable, Failure: Error, Downstream: Subscriber>:
  Subscriber
{
  typealias Machine = AsyncMapStage<Downstream.Input, Downstream.Failure>

  let driver: TimedDriver<Machine, Downstream>
  let mapFailure: @Sendable (Failure) -> Downstream.Failure
  let transform: @Sendable (Input) async throws(Downstream.Failure) -> Downstream.Input

  var context: SubscriptionContext { driver.context }

  func receive(subscription: any Subscription) {
    if driver.gate.admit(subscription, for: Self.self) { driver.start() }
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    guard driver.gate.admitsValue(for: Self.self) else { return .none }
    guard let id = driver.update({ stage, _ in stage.addJob() }) else { return .none }
    let task = Task { [driver, transform] in
      let result: Machine.JobResult
      do throws(Downstream.Failure) {
        result = .success(try await transform(input))
      } catch {
        result = .failure(error)
      }
      driver.handle(.value((id, result)))
    }
    let isOpen = driver.update { stage, _ in
      stage.hold(task, of: id)
      return true
    }
    if isOpen != true { task.cancel() }
    return .none
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    if driver.gate.finish(for: Self.self) { driver.handle(.end(completion.mapFailure(mapFailure))) }
  }
}

/// A stage that keeps the running tasks and the results that wait for their turn.
struct AsyncMapStage<Output: Sendable, Failure: Error>: Publishers.TimedStage {
  typealias JobResult = Result<Output, Failure>
  typealias Input = (id: Int, result: JobResult)

  private let limit: Int
  private let isOrdered: Bool
  private var nextID = 0
  private var nextDelivered = 0
  private var running: [Int: Task<Void, Never>?] = [:]
  private var early: [Int: JobResult] = [:]
  private var isUpstreamFinished = false

  init(limit: Int, isOrdered: Bool) {
    self.limit = limit
    self.isOrdered = isOrdered
  }

  mutating func addJob() -> Int {
    defer { nextID += 1 }
    running[nextID] = .some(nil)
    return nextID
  }

  mutating func hold(_ task: Task<Void, Never>, of id: Int) {
    if running[id] != nil { running[id] = task }
  }

  mutating func receive(
    _ event: Publishers.TimedEvent<Input, Failure>, outlet: inout Publishers.Outlet<Output, Failure>
  ) {
    switch event {
    case .demand, .wake: return
    case .begin: outlet.request = .max(limit)
    case .delivery: outlet.request += 1
    case .value((let id, let result)):
      guard running.removeValue(forKey: id) != nil else { return }
      early[id] = result
      if !isOrdered { nextDelivered = id }
      while outlet.end == nil, let result = early.removeValue(forKey: nextDelivered) {
        nextDelivered += 1
        switch result {
        case .success(let value): outlet.send(value)
        case .failure(let error): outlet.end = .lapsed { .failure(error) }
        }
      }
    case .end(let completion):
      isUpstreamFinished = true
      if case .failure = completion { outlet.end = .urgent(completion) }
    }
    if outlet.end == nil, isUpstreamFinished, running.isEmpty {
      outlet.end = .afterValues(.finished)
    }
  }

  func discard() {
    for task in running.values { task?.cancel() }
  }
}
