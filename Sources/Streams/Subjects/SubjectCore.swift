import Synchronization

/// The implementation that subjects share.
///
/// A thread that finds no other thread delivering takes the turn, by one atomic step, and delivers.
/// Other threads leave their work in the inbox and return. The thread that has the turn empties the
/// inbox before it gives the turn back. All subscribers therefore see one order, and the stack does
/// not grow. No lock is held during a delivery. If senders do not meet, no lock is taken at all.
@usableFromInline final class SubjectCore<Memory: SubjectMemory, Failure: Error>: Sendable {
  @usableFromInline typealias Output = Memory.Output
  @usableFromInline typealias End = Subscribers.Completion<Failure>
  @usableFromInline typealias Entry = SubjectEntry<Output, Failure>

  @usableFromInline enum Event: Sendable {
    case value(Output)
    case end(End)
    case attach(Entry)
    case detach(SubjectLink)
    /// Serves kept values to a subscriber that requested them after they were sent.
    case catchUp(SubjectLink)
  }

  @usableFromInline struct Inbox: Sendable {
    @usableFromInline var events = FIFO<Event>()
    /// The number of the events that are values.
    ///
    /// It is read only if there is a bound.
    @usableFromInline var waiting = 0
    @usableFromInline let bound: SubjectBound<Failure>?
    @usableFromInline var isEnded = false
    @usableFromInline var upstreams = SubjectUpstreams()
    /// The values that were sent, delivered or not, if the memory is readable.
    @usableFromInline var sent: Memory

    @inlinable init(sent: Memory, bound: SubjectBound<Failure>?) {
      self.sent = sent
      self.bound = bound
    }

    /// Keeps a value waiting, within the bound.
    @inlinable mutating func keep(_ value: Output) -> Overflow {
      if let bound, waiting >= bound.size {
        switch bound.whenFull {
        case .dropNewest: return .released(.value(value))
        case .customError(let makeError): return .fail(makeError)
        case .dropOldest:
          let oldest = events.removeFirst { if case .value = $0 { true } else { false } }
          events.append(.value(value))
          return .released(oldest)
        }
      }
      waiting += 1
      events.append(.value(value))
      return .released(nil)
    }

    /// Takes out the next events: all of them, or one if the inbox is bounded.
    @inlinable mutating func take() -> FIFO<Event> {
      guard bound != nil else { return events.takeAll() }
      var next = FIFO<Event>()
      if let event = events.popFirst() {
        if case .value = event { waiting -= 1 }
        next.append(event)
      }
      return next
    }
  }

  /// The work that follows from a value that was to wait.
  @usableFromInline enum Overflow: Sendable {
    /// Release this event without the lock.
    case released(Event?)
    /// The subject fails.
    case fail(@Sendable () -> Failure)
  }

  /// The state that only the thread with the turn accesses.
  @usableFromInline struct Audience: Sendable {
    /// The entries in the order of their arrival, with gaps for subscribers that have left.
    @usableFromInline var entries: [Entry?] = []
    @usableFromInline var gaps = 0
    @usableFromInline var end: End?
    @usableFromInline var memory: Memory

    @inlinable init(memory: Memory) {
      self.memory = memory
    }

    @inlinable func entry(of link: SubjectLink) -> Entry? {
      guard entries.indices.contains(link.index) else { return nil }
      let entry = entries[link.index]
      return entry?.link === link ? entry : nil
    }

    @inlinable mutating func append(_ entry: Entry) {
      entry.link.index = entries.count
      entries.append(entry)
    }

    /// Removes an entry.
    ///
    /// The other entries stay where they are.
    @inlinable mutating func remove(_ link: SubjectLink) -> Entry? {
      guard let entry = entry(of: link) else { return nil }
      entries[link.index] = nil
      gaps += 1
      return entry
    }

    /// Closes the gaps when they are most of the places, so that a removal costs O(1) on average.
    ///
    /// Do not call this method while the entries are iterated.
    @inlinable mutating func closeGaps() {
      guard gaps == entries.count || (gaps > 16 && gaps * 2 > entries.count) else { return }
      entries.removeAll { $0 == nil }
      gaps = 0
      for (index, entry) in entries.enumerated() { entry?.link.index = index }
    }
  }

  @usableFromInline enum Turn: UInt8, AtomicRepresentable, Sendable {
    /// The turn is free, is taken, or is taken while something is in the inbox.
    case free, taken, called
  }

  @usableFromInline let turn = Atomic<Turn>(.free)
  @usableFromInline let isBounded: Bool
  @usableFromInline let inbox: Lock<Inbox>
  @usableFromInline let audience: Confined<Audience>

  @inlinable init(memory: Memory, bound: SubjectBound<Failure>? = nil) {
    isBounded = bound != nil
    inbox = Lock(Inbox(sent: memory, bound: bound))
    audience = Confined(Audience(memory: memory))
  }

  // MARK: Sending

  @inlinable func send(_ value: Output) {
    if Memory.isReadable {
      sendReadably(value)
    } else if takeTurn() {
      deliver(value)
      passTurn()
    } else {
      let overflow = inbox.withLock { $0.keep(value) }
      if call() { passTurn() }
      settle(overflow)
    }
  }

  @inlinable func settle(_ overflow: Overflow) {
    if case .fail(let makeError) = overflow { send(completion: .failure(makeError())) }
  }

  /// Makes a value readable, also after the end, and sends it before the end.
  @inlinable func set(_ value: Output) {
    sendReadably(value, keepsAfterEnd: true)
  }

  /// Sends values in the order in which they become readable.
  @inlinable func sendReadably(_ value: Output, keepsAfterEnd: Bool = false) {
    let (mustDeliver, mustPass, displaced, overflow) = inbox.withLock {
      inbox -> (Bool, Bool, Memory?, Overflow) in
      if inbox.isEnded, !keepsAfterEnd { return (false, false, nil, .released(nil)) }
      let displaced = inbox.sent
      inbox.sent.append(value)
      if inbox.isEnded { return (false, false, displaced, .released(nil)) }
      if takeTurn() { return (true, true, displaced, .released(nil)) }
      let overflow = inbox.keep(value)
      return (false, call(), displaced, overflow)
    }
    withExtendedLifetime(displaced) {}
    if mustDeliver { deliver(value) }
    if mustPass { passTurn() }
    settle(overflow)
  }

  @inlinable func send(completion: End) {
    let upstreams: [any Subscription]? = inbox.withLock { inbox in
      guard !inbox.isEnded else { return nil }
      inbox.isEnded = true
      inbox.events.append(.end(completion))
      return inbox.upstreams.takeAll()
    }
    guard let upstreams else { return }
    let mustPass = call()
    for upstream in upstreams { upstream.cancel() }
    if mustPass { passTurn() }
  }

  @inlinable func send(subscription: any Subscription) {
    let (isOpen, released) = inbox.withLock { inbox in
      guard !inbox.isEnded else { return (false, [] as [any Subscription]) }
      return (true, inbox.upstreams.add(subscription))
    }
    withExtendedLifetime(released) {}
    if isOpen { subscription.request(.unlimited) } else { subscription.cancel() }
  }

  /// Cancels the upstreams when the subject is released, because nothing can be sent any more.
  @usableFromInline func abandon() {
    for upstream in inbox.withLock({ $0.upstreams.takeAll() }) { upstream.cancel() }
  }

  // MARK: Subscribers

  @inlinable func attach<Downstream: Subscriber>(_ downstream: Downstream)
  where Downstream.Input == Output, Downstream.Failure == Failure {
    let link = SubjectLink()
    downstream.receive(
      subscription: ClosureSubscription { [self] command in
        switch command {
        case .request(let demand):
          link.add(demand)
          if Memory.keepsValues { perform(.catchUp(link)) }
        case .cancel:
          if link.deactivate() { perform(.detach(link)) }
        }
      })
    if link.isActive { perform(.attach(Entry(link, AnySubscriber(downstream)))) }
  }

  // MARK: The turn

  @inlinable func perform(_ event: Event) {
    if takeTurn() {
      process(event)
      passTurn()
    } else {
      enqueue(event)
    }
  }

  @inlinable func enqueue(_ event: Event) {
    inbox.withLock { $0.events.append(event) }
    if call() { passTurn() }
  }

  @inlinable func takeTurn() -> Bool {
    turn.compareExchange(expected: .free, desired: .taken, ordering: .acquiring).exchanged
  }

  /// Makes the thread that has the turn check the inbox, and returns true if the caller has the
  /// turn now.
  @inlinable func call() -> Bool {
    turn.exchange(.called, ordering: .acquiringAndReleasing) == .free
  }

  @inlinable func passTurn() {
    while !turn.compareExchange(
      expected: .taken, desired: .free, ordering: .acquiringAndReleasing
    ).exchanged {
      turn.store(.taken, ordering: .relaxed)
      var events = inbox.withLock { $0.take() }
      while let event = events.popFirst() {
        process(event)
        if isBounded, events.isEmpty { events = inbox.withLock { $0.take() } }
      }
    }
  }
}

/// A subject's reference to one subscriber.
///
/// It is separate from the link, which the subscription holds, too. A subscription that is kept
/// after its end therefore does not keep the subscriber.
@usableFromInline final class SubjectEntry<Output: Sendable, Failure: Error>: Sendable {
  @usableFromInline let mark = LiveMark("subjectEntry")
  @usableFromInline let link: SubjectLink
  @usableFromInline let subscriber: AnySubscriber<Output, Failure>

  @inlinable init(_ link: SubjectLink, _ subscriber: AnySubscriber<Output, Failure>) {
    self.link = link
    self.subscriber = subscriber
  }

  @inlinable func finish(_ end: Subscribers.Completion<Failure>) {
    if link.deactivate() { subscriber.receive(completion: end) }
  }
}

/// The number of values that may wait for delivery, and the policy for one more.
@frozen @usableFromInline struct SubjectBound<Failure: Error>: Sendable {
  @usableFromInline let size: Int
  @usableFromInline let whenFull: Publishers.BufferingStrategy<Failure>

  @inlinable init(size: Int, whenFull: Publishers.BufferingStrategy<Failure>) {
    self.size = max(size, 1)
    self.whenFull = whenFull
  }
}
