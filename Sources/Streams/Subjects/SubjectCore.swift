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
    @usableFromInline var isEnded = false
    @usableFromInline var upstreams: [any Subscription] = []
    /// What was sent, be it delivered or not, where the memory is readable.
    @usableFromInline var sent: Memory

    @inlinable init(sent: Memory) {
      self.sent = sent
    }
  }

  /// What only the one who has the turn touches.
  @usableFromInline struct Audience: Sendable {
    /// In the order in which they came, which is the order of their ids.
    @usableFromInline var entries: [Entry] = []
    @usableFromInline var nextID = 0
    @usableFromInline var end: End?
    @usableFromInline var memory: Memory

    @inlinable init(memory: Memory) {
      self.memory = memory
    }

    @inlinable func index(of link: SubjectLink) -> Int? {
      var low = 0
      var high = entries.count
      while low < high {
        let middle = (low + high) / 2
        if entries[middle].link.id < link.id { low = middle + 1 } else { high = middle }
      }
      return low < entries.count && entries[low].link === link ? low : nil
    }
  }

  @usableFromInline enum Turn: UInt8, AtomicRepresentable, Sendable {
    /// Free; taken; taken, and there is something in the inbox.
    case free, taken, called
  }

  @usableFromInline let turn = Atomic<Turn>(.free)
  @usableFromInline let inbox: Lock<Inbox>
  @usableFromInline let audience: Confined<Audience>

  @inlinable init(memory: Memory) {
    inbox = Lock(Inbox(sent: memory))
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
      enqueue(.value(value))
    }
  }

  /// Sends in the order in which the values become readable.
  @inlinable func sendReadably(_ value: Output) {
    let (mustDeliver, mustPass, displaced) = inbox.withLock { inbox in
      guard !inbox.isEnded else { return (false, false, nil as Memory?) }
      let displaced = inbox.sent
      inbox.sent.append(value)
      if takeTurn() { return (true, true, displaced) }
      inbox.events.append(.value(value))
      return (false, call(), displaced)
    }
    withExtendedLifetime(displaced) {}
    if mustDeliver { deliver(value) }
    if mustPass { passTurn() }
  }

  @inlinable func send(completion: End) {
    let upstreams: [any Subscription]? = inbox.withLock { inbox in
      guard !inbox.isEnded else { return nil }
      inbox.isEnded = true
      inbox.events.append(.end(completion))
      return exchange(&inbox.upstreams, with: [])
    }
    guard let upstreams else { return }
    let mustPass = call()
    for upstream in upstreams { upstream.cancel() }
    if mustPass { passTurn() }
  }

  @inlinable func send(subscription: any Subscription) {
    let isOpen = inbox.withLock { inbox in
      guard !inbox.isEnded else { return false }
      inbox.upstreams.append(subscription)
      return true
    }
    if isOpen { subscription.request(.unlimited) } else { subscription.cancel() }
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
      var events = inbox.withLock { $0.events.takeAll() }
      while let event = events.popFirst() { process(event) }
    }
  }
}
