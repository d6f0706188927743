/// The implementation that subjects share.
///
/// A thread that finds no other thread delivering takes the turn, by one atomic step, and delivers.
/// Other threads leave their work in the inbox and return. The thread that has the turn empties the
/// inbox before it gives the turn back. All subscribers therefore see one order, and the stack does
/// not grow. No lock is held during a delivery. If senders do not meet, a value takes no lock,
/// unless the subject's value can be read.
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

  @usableFromInline let turn = DeliveryTurn()
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
    } else if turn.take() {
      deliver(value)
      passTurn()
    } else {
      let overflow = inbox.withLock { $0.keep(value) }
      if turn.call() { passTurn() }
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
      if turn.take() { return (true, true, displaced, .released(nil)) }
      let overflow = inbox.keep(value)
      return (false, turn.call(), displaced, overflow)
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
    let mustPass = turn.call()
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
    if turn.take() {
      process(event)
      passTurn()
    } else {
      enqueue(event)
    }
  }

  @inlinable func enqueue(_ event: Event) {
    inbox.withLock { $0.events.append(event) }
    if turn.call() { passTurn() }
  }

  /// Gives the turn back when the inbox is empty.
  @inlinable func passTurn() {
    while !turn.giveBack() {
      turn.answer()
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
  @usableFromInline let mark = LeakMark("subjectEntry")
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

/// The work of the thread that has the turn.
extension SubjectCore {
  @inlinable func process(_ event: Event) {
    switch event {
    case .value(let value): deliver(value)
    case .end(let end): deliver(end)
    case .attach(let entry): attach(entry)
    case .detach(let link):
      remove(link)
      audience.state.pointee.closeGaps()
    case .catchUp(let link):
      if let entry = audience.state.pointee.entry(of: link) { serve(entry) }
      audience.state.pointee.closeGaps()
    }
  }

  @inlinable func deliver(_ value: Output) {
    let audience = audience.state
    guard audience.pointee.end == nil else { return }
    if Memory.keepsValues { audience.pointee.memory.append(value) }
    for index in audience.pointee.entries.indices {
      // The entry is not retained for each value: only the thread that has the turn removes
      // entries, and it is busy here.
      let unretained = audience.pointee.entries[index].map(Unmanaged.passUnretained)
      unretained?._withUnsafeGuaranteedRef { entry in
        if Memory.keepsValues {
          serve(entry)
        } else if entry.link.isActive, entry.link.claim() {
          entry.link.add(entry.subscriber.receive(value))
        }
      }
    }
    if Memory.keepsValues { audience.pointee.memory.trim() }
  }

  @inlinable func deliver(_ end: End) {
    audience.state.pointee.end = end
    if Memory.outlivesEnd {
      for index in audience.state.pointee.entries.indices {
        if let entry = audience.state.pointee.entries[index] { serve(entry) }
      }
      audience.state.pointee.closeGaps()
    } else {
      let entries = exchange(&audience.state.pointee.entries, with: [])
      for entry in entries { entry?.finish(end) }
    }
  }

  @inlinable func attach(_ entry: Entry) {
    let audience = audience.state
    if let end = audience.pointee.end, !Memory.outlivesEnd {
      entry.finish(end)
    } else if entry.link.isActive {
      audience.pointee.append(entry)
      if Memory.keepsValues {
        serve(entry)
        audience.pointee.closeGaps()
      }
    }
  }

  /// Serves the kept values that are requested, and the end if it follows them.
  @inlinable func serve(_ entry: Entry) {
    let audience = audience.state
    let link = entry.link
    link.position = max(link.position, audience.pointee.memory.start)
    while link.isActive, link.position < audience.pointee.memory.end, link.claim() {
      guard let value = audience.pointee.memory[link.position] else { return }
      link.position += 1
      link.add(entry.subscriber.receive(value))
    }
    if let end = audience.pointee.end, link.position == audience.pointee.memory.end {
      entry.finish(end)
      remove(link)
    }
  }

  @inlinable func remove(_ link: SubjectLink) {
    let released = audience.state.pointee.remove(link)
    withExtendedLifetime(released) {}
  }
}
