/// The fan-out that subjects share.
///
/// Signals go through one queue: whoever finds nobody delivering delivers, others add to the queue
/// and return. So all subscribers see one order, and nothing is called with the lock held.
@usableFromInline
final class SubjectCore<Memory: SubjectMemory, Failure: Error>: Sendable {
  @usableFromInline typealias Output = Memory.Output
  @usableFromInline typealias End = Subscribers.Completion<Failure>

  @usableFromInline
  enum Event: Sendable {
    case value(Output)
    case end(End)
    /// Serves the latest value to a subscriber that asked for it after it was sent.
    case catchUp(SubjectLink)
  }

  @usableFromInline
  struct Entry: Sendable {
    @usableFromInline let link: SubjectLink
    @usableFromInline let subscriber: AnySubscriber<Output, Failure>

    @inlinable
    init(link: SubjectLink, subscriber: AnySubscriber<Output, Failure>) {
      self.link = link
      self.subscriber = subscriber
    }
  }

  @usableFromInline
  struct State: Sendable {
    /// In the order in which they came, which is the order of their ids.
    @usableFromInline var entries: [Entry] = []
    @usableFromInline var nextID = 0
    @usableFromInline var waiting = FIFO<Event>()
    @usableFromInline var isDelivering = false
    @usableFromInline var end: End?
    @usableFromInline var memory: Memory
    @usableFromInline var upstreams: [any Subscription] = []

    @inlinable
    init(memory: Memory) {
      self.memory = memory
    }

    @inlinable
    func index(of id: Int) -> Int? {
      var low = 0
      var high = entries.count
      while low < high {
        let middle = (low + high) / 2
        if entries[middle].link.id < id { low = middle + 1 } else { high = middle }
      }
      return low < entries.count && entries[low].link.id == id ? low : nil
    }
  }

  @usableFromInline let state: Lock<State>

  @inlinable
  init(memory: Memory) {
    state = Lock(State(memory: memory))
  }

  // MARK: Sending

  @inlinable
  func send(_ value: Output) {
    let (entries, released) = state.withLock { state in
      guard state.end == nil else { return (nil as [Entry]?, (nil as Output?, nil as Output?)) }
      let displaced = state.memory.noteSent(value)
      guard !state.isDelivering else {
        state.waiting.append(.value(value))
        return (nil, (displaced, nil))
      }
      state.isDelivering = true
      return (state.entries, (displaced, state.memory.noteDelivery(of: value)))
    }
    withExtendedLifetime(released) {}
    guard let entries else { return }
    deliver(value, to: entries)
    deliverWaiting()
  }

  @inlinable
  func send(completion: End) {
    let (mustDeliver, upstreams) = state.withLock { state in
      guard state.end == nil else { return (false, [] as [any Subscription]) }
      state.end = completion
      state.waiting.append(.end(completion))
      let upstreams = state.upstreams
      state.upstreams = []
      defer { state.isDelivering = true }
      return (!state.isDelivering, upstreams)
    }
    for upstream in upstreams { upstream.cancel() }
    if mustDeliver { deliverWaiting() }
  }

  @inlinable
  func send(subscription: any Subscription) {
    let isOpen = state.withLock { state in
      guard state.end == nil else { return false }
      state.upstreams.append(subscription)
      return true
    }
    if isOpen {
      subscription.request(.unlimited)
    } else {
      subscription.cancel()
    }
  }

  // MARK: Subscribers

  @inlinable
  func attach<Downstream: Subscriber>(_ downstream: Downstream)
  where Downstream.Input == Output, Downstream.Failure == Failure {
    let link = SubjectLink()
    downstream.receive(
      subscription: ClosureSubscription { [self] command in
        switch command {
        case .request(let demand): request(demand, through: link)
        case .cancel: detach(link)
        }
      })
    let entry = Entry(link: link, subscriber: AnySubscriber(downstream))
    let end: End? = state.withLock { state in
      if let end = state.end { return end }
      if link.isActive {
        link.id = state.nextID
        state.nextID += 1
        state.entries.append(entry)
      }
      return nil
    }
    if let end {
      if link.deactivate() { downstream.receive(completion: end) }
    } else if Memory.keepsLatest {
      enqueueCatchUp(link)
    }
  }

  @inlinable
  func request(_ demand: Subscribers.Demand, through link: SubjectLink) {
    link.add(demand)
    if Memory.keepsLatest { enqueueCatchUp(link) }
  }

  @inlinable
  func detach(_ link: SubjectLink) {
    guard link.deactivate() else { return }
    let released = state.withLock { state in
      state.index(of: link.id).map { state.entries.remove(at: $0) }
    }
    withExtendedLifetime(released) {}
  }

  // MARK: Delivering

  @inlinable
  func deliver(_ value: Output, to entries: [Entry]) {
    for entry in entries where entry.link.isActive {
      if entry.link.claim() {
        if Memory.keepsLatest { entry.link.owesLatest = false }
        entry.link.add(entry.subscriber.receive(value))
      } else if Memory.keepsLatest {
        entry.link.owesLatest = true
      }
    }
  }

  @inlinable
  func enqueueCatchUp(_ link: SubjectLink) {
    let mustDeliver = state.withLock { state in
      guard state.index(of: link.id) != nil else { return false }
      state.waiting.append(.catchUp(link))
      defer { state.isDelivering = true }
      return !state.isDelivering
    }
    if mustDeliver { deliverWaiting() }
  }

  /// Delivers what waits; the caller has set `isDelivering`.
  @inlinable
  func deliverWaiting() {
    while true {
      let (event, entries, released) = state.withLock { state in
        guard let event = state.waiting.popFirst() else {
          state.isDelivering = false
          return (nil as Event?, [] as [Entry], nil as Output?)
        }
        switch event {
        case .value(let value):
          let displaced = state.memory.noteDelivery(of: value)
          return (event, state.entries, displaced)
        case .end:
          let entries = state.entries
          state.entries = []
          return (event, entries, nil)
        case .catchUp(let link):
          return (event, state.index(of: link.id).map { [state.entries[$0]] } ?? [], nil)
        }
      }
      withExtendedLifetime(released) {}
      switch event {
      case nil: return
      case .value(let value): deliver(value, to: entries)
      case .end(let end):
        for entry in entries where entry.link.deactivate() {
          entry.subscriber.receive(completion: end)
        }
      case .catchUp: for entry in entries { serveLatest(to: entry) }
      }
    }
  }

  @inlinable
  func serveLatest(to entry: Entry) {
    guard entry.link.isActive, entry.link.owesLatest, entry.link.claim() else { return }
    guard let value = state.withLock({ $0.memory.replay }) else { return }
    entry.link.owesLatest = false
    entry.link.add(entry.subscriber.receive(value))
  }
}
