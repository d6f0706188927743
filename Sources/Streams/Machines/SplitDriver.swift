import Synchronization

/// A driver that serves the values that a splitter makes, on request.
///
/// Steps of a trampoline do all the work on the splitter, so one thread at a time has it. That is
/// the upstream's thread, with a value or the end, or a thread that makes a request when none is
/// outstanding. A step takes the splitter out, serves from a local variable at the speed of a loop,
/// and puts it back. After the end or a cancel it does not put it back, which releases all of it.
///
/// The upstream gets demand after the step, by a call or by the return value of its own call. A
/// value therefore comes only while no thread works on the splitter, and no value waits beside it.
@usableFromInline
final class SplitDriver<Machine: Publishers.Splitter, Downstream: Subscriber>:
  Sendable
where Machine.Output == Downstream.Input, Machine.Failure == Downstream.Failure {
  /// The demand that the upstream has not served.
  @usableFromInline enum Supply: Sendable {
    case none, one, unlimited
  }

  @usableFromInline struct Server: Sendable {
    @usableFromInline var machine: Machine
    @usableFromInline let downstream: Downstream
    @usableFromInline var supply = Supply.none
    /// A value that was made to find out whether the end can be sent already.
    @usableFromInline var ready: Machine.Output?
    /// The completion that follows the remaining values.
    @usableFromInline var completion: Subscribers.Completion<Machine.Failure>?

    @inlinable init(machine: Machine, downstream: Downstream) {
      self.machine = machine
      self.downstream = downstream
    }

    @inlinable mutating func next() throws(Machine.Failure) -> Machine.Output? {
      if ready != nil { return ready.take() }
      return try machine.next()
    }
  }

  @usableFromInline let mark = LeakMark("splitDriver")
  @usableFromInline let gate = UpstreamGate()
  @usableFromInline let turn = Trampoline()
  @usableFromInline let context: SubscriptionContext
  /// The unserved demand.
  ///
  /// Only a step takes from it, so a thread that adds to zero runs a step.
  @usableFromInline let asked = Atomic<Int>(0)
  @usableFromInline let server: Confined<Server?>
  @usableFromInline let upstreamEnd = Lock<Subscribers.Completion<Machine.InputFailure>?>(nil)
  @usableFromInline let hasEnded = Atomic<Bool>(false)

  @inlinable init(_ machine: Machine, downstream: Downstream) {
    context = downstream.context
    server = Confined(Server(machine: machine, downstream: downstream))
  }

  // MARK: From below

  /// Hands the downstream its one subscription.
  @inlinable func handOver() {
    let downstream = server.access { $0?.downstream } ?? nil
    downstream?.receive(
      subscription: ClosureSubscription { [self] command in
        switch command {
        case .request(let demand): request(demand)
        case .cancel: cancel()
        }
      })
  }

  @inlinable func request(_ demand: Subscribers.Demand) {
    var before = asked.load(ordering: .relaxed)
    while true {
      let after = Subscribers.Demand(count: before) + demand
      let (added, found) = asked.compareExchange(
        expected: before, desired: after.count, ordering: .acquiringAndReleasing)
      if added { break }
      before = found
    }
    if before == 0 { run() }
  }

  @inlinable func cancel() {
    gate.cancel()
    run()
  }

  // MARK: From above

  /// Takes a value in, serves its parts, and returns the additional demand.
  @inlinable func take(_ input: Machine.Input) -> Subscribers.Demand {
    var (input, more) = (Optional(input), Subscribers.Demand.none)
    turn.run { more += step(input.take()) }
    if input != nil, !gate.isCancelled { ContractViolation.report(.overlap, by: Self.self) }
    return more
  }

  @inlinable func end(_ completion: Subscribers.Completion<Machine.InputFailure>) {
    upstreamEnd.withLock { $0 = completion }
    hasEnded.store(true, ordering: .releasing)
    run()
  }

  // MARK: The steps

  @inlinable func run() {
    var more = Subscribers.Demand.none
    turn.run { more += step(nil) }
    if more > .none { gate.current?.request(more) }
  }

  /// Serves the values that can be served.
  ///
  /// - Returns: The demand for the upstream, to be requested when no thread works on the splitter
  ///   any more.
  @inlinable func step(_ input: consuming Machine.Input?) -> Subscribers.Demand {
    guard var server = server.access({ $0.take() }) ?? nil else { return .none }
    do throws(Machine.Failure) {
      if let input, server.admitsInput { try server.machine.receive(input) }
      guard let more = try serve(&server) else { return .none }
      self.server.access { $0 = server }
      return more
    } catch {
      _ = gate.close(as: .finished, andCancel: true)
      if !gate.isCancelled { server.downstream.receive(completion: .failure(error)) }
      return .none
    }
  }

  /// - Returns: The demand for the upstream, or nil when the stream is over.
  @inlinable func serve(_ server: inout Server) throws(Machine.Failure) -> Subscribers.Demand? {
    var account = Subscribers.Demand(count: asked.load(ordering: .acquiring))
    var budget = account
    while !gate.isCancelled {
      if budget == .none {
        budget = settle(account, leaving: budget)
        account = budget
        if budget == .none {
          guard hasEnded.load(ordering: .acquiring) else { return Subscribers.Demand.none }
          // The end needs no demand, but it must not overtake a value.
          server.ready = try server.next()
          if server.ready != nil { return Subscribers.Demand.none }
        }
      }
      if let value = try server.next() {
        // The splitter's closure may have cancelled.
        if !gate.isCancelled { budget = budget - 1 + server.downstream.receive(value) }
      } else if let completion = server.completion {
        if !gate.isCancelled { server.downstream.receive(completion: completion) }
        return nil
      } else if hasEnded.load(ordering: .acquiring), let end = upstreamEnd.withLock({ $0 }) {
        server.completion = server.machine.end(end)
      } else {
        return server.ask(for: settle(account, leaving: budget))
      }
    }
    return nil
  }

  /// Subtracts the served values from the demand.
  ///
  /// - Returns: The demand that is left now.
  @inlinable func settle(
    _ account: Subscribers.Demand, leaving budget: Subscribers.Demand
  ) -> Subscribers.Demand {
    var before = asked.load(ordering: .relaxed)
    while true {
      let after = Subscribers.Demand(count: before) - account + budget
      let (settled, found) = asked.compareExchange(
        expected: before, desired: after.count, ordering: .acquiringAndReleasing)
      if settled { return after }
      before = found
    }
  }
}

extension SplitDriver.Server {
  /// Whether a value was requested.
  ///
  /// If not, the violation is reported.
  @inlinable var admitsInput: Bool {
    mutating get {
      switch supply {
      case .one: supply = .none
      case .unlimited: break
      case .none:
        ContractViolation.report(.moreThanDemanded, by: Machine.self)
        return false
      }
      return true
    }
  }

  /// Returns the demand for the upstream that is needed to serve the downstream.
  @inlinable mutating func ask(for demand: Subscribers.Demand) -> Subscribers.Demand {
    guard supply == .none, demand > .none else { return .none }
    let isUnlimited = demand == .unlimited
    supply = isUnlimited ? .unlimited : .one
    return isUnlimited ? .unlimited : .max(1)
  }
}
