import Synchronization

/// The fan-out that subjects share.
///
/// Whoever finds nobody delivering takes the turn, by one atomic step, and delivers; others leave
/// what they want done in the inbox and go. Who has the turn empties the inbox before it gives the
/// turn back. So all subscribers see one order, nothing grows the stack, and no lock is held, nor
/// even taken where senders do not meet, while a signal is delivered.
@usableFromInline final class SubjectCore<Memory: SubjectMemory, Failure: Error>: Sendable {
  @usableFromInline typealias Output = Memory.Output
  @usableFromInline typealias End = Subscribers.Completion<Failure>
  @usableFromInline typealias Entry = SubjectEntry<Output, Failure>

  @usableFromInline enum Event: Sendable {
    case value(Output)
    case end(End)
    case attach(Entry)
    case detach(SubjectLink)
    /// Serves what is kept to a subscriber that asked for it after it was sent.
    case catchUp(SubjectLink)
  }

  @usableFromInline struct Inbox: Sendable {
    @usableFromInline var events = FIFO<Event>()
    /// How many of the events are values, where there is a bound; nobody asks where there is none.
    @usableFromInline var waiting = 0
    @usableFromInline let bound: SubjectBound<Failure>?
    @usableFromInline var isEnded = false
    @usableFromInline var upstreams = SubjectUpstreams()
    /// What was sent, be it delivered or not, where the memory is readable.
    @usableFromInline var sent: Memory

    @inlinable init(sent: Memory, bound: SubjectBound<Failure>?) {
      self.sent = sent
      self.bound = bound
    }

    /// Lets a value wait, as far as the bound allows.
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

    /// What to do next: all there is, or one thing where what waits is bounded.
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

  /// What follows from a value that was to wait.
  @usableFromInline enum Overflow: Sendable {
    /// Release this without the lock.
    case released(Event?)
    /// The subject fails.
    case fail(@Sendable () -> Failure)
  }

  /// What only the one who has the turn touches.
  @usableFromInline struct Audience: Sendable {
    /// In the order in which they came, with gaps where somebody has left.
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

    /// Takes an entry out; the others stay where they are.
    @inlinable mutating func remove(_ link: SubjectLink) -> Entry? {
      guard let entry = entry(of: link) else { return nil }
      entries[link.index] = nil
      gaps += 1
      return entry
    }

    /// Closes the gaps once they are most of the places, so that a removal costs O(1) on average.
    ///
    /// Not while the entries are gone through.
    @inlinable mutating func closeGaps() {
      guard gaps == entries.count || (gaps > 16 && gaps * 2 > entries.count) else { return }
      entries.removeAll { $0 == nil }
      gaps = 0
      for (index, entry) in entries.enumerated() { entry?.link.index = index }
    }
  }

  @usableFromInline enum Turn: UInt8, AtomicRepresentable, Sendable {
    /// Free; taken; taken, and there is something in the inbox.
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

  /// Makes a value readable, also after the end, and sends it before.
  @inlinable func set(_ value: Output) {
    sendReadably(value, keepsAfterEnd: true)
  }

  /// Sends in the order in which the values become readable.
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

  /// The subject is gone: nobody can send any more, so nobody needs what feeds it.
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

  /// Has whoever has the turn look into the inbox; true if that is the caller now.
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

/// A subject's hold on one subscriber.
///
/// Apart from the link, which the subscription holds, too: who keeps a subscription after its end
/// does not keep the subscriber.
@usableFromInline final class SubjectEntry<Output: Sendable, Failure: Error>: Sendable {
  @usableFromInline let mark = LiveMark(.subjectEntry)
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

/// How many values may wait for whoever delivers, and what becomes of one more.
@frozen @usableFromInline struct SubjectBound<Failure: Error>: Sendable {
  @usableFromInline let size: Int
  @usableFromInline let whenFull: Publishers.BufferingStrategy<Failure>

  @inlinable init(size: Int, whenFull: Publishers.BufferingStrategy<Failure>) {
    self.size = max(size, 1)
    self.whenFull = whenFull
  }
}
