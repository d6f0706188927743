/// What a ``ReplaySubject`` keeps under its lock: a log of values, and how far each subscriber has
/// come in it.
@usableFromInline
struct ReplayState<Output: Sendable, Failure: Error>: Sendable {
  @usableFromInline typealias End = Subscribers.Completion<Failure>

  @usableFromInline
  struct Entry: Sendable {
    @usableFromInline let id: Int
    @usableFromInline let subscriber: AnySubscriber<Output, Failure>
    /// The place in the whole sequence of the value to get next.
    @usableFromInline var position: Int
    @usableFromInline var demand = Subscribers.Demand.none
    /// Whether it has its subscription.
    @usableFromInline var isOpen = false

    @inlinable
    init(id: Int, subscriber: AnySubscriber<Output, Failure>, position: Int) {
      self.id = id
      self.subscriber = subscriber
      self.position = position
    }
  }

  @usableFromInline
  enum Step: Sendable {
    case stop
    case value(Output, Entry)
    case end(End, Entry)
    /// Release a value that nobody needs any more.
    case drop(Output)
  }

  @usableFromInline let bufferSize: Int
  @usableFromInline var log = FIFO<Output>()
  /// How many values have left the log.
  @usableFromInline var start = 0
  /// In the order in which they came, which is the order of their ids.
  @usableFromInline var entries: [Entry] = []
  @usableFromInline var nextID = 0
  /// The entry to look at next: each gets a value in turn.
  @usableFromInline var turn = 0
  @usableFromInline var isDelivering = false
  @usableFromInline var end: End?
  @usableFromInline var upstreams: [any Subscription] = []

  @inlinable
  init(bufferSize: Int) {
    self.bufferSize = bufferSize
  }

  @inlinable var logEnd: Int { start + log.count }

  @inlinable
  mutating func beginDelivering() -> Bool {
    defer { isDelivering = true }
    return !isDelivering
  }

  @inlinable
  mutating func add(_ subscriber: AnySubscriber<Output, Failure>) -> Int {
    let position = max(start, bufferSize < logEnd ? logEnd - bufferSize : 0)
    entries.append(Entry(id: nextID, subscriber: subscriber, position: position))
    defer { nextID += 1 }
    return nextID
  }

  @inlinable
  mutating func remove(_ id: Int) -> Entry? {
    guard let index = index(of: id) else { return nil }
    if index < turn { turn -= 1 }
    return entries.remove(at: index)
  }

  @inlinable
  func index(of id: Int) -> Int? {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].id < id { low = middle + 1 } else { high = middle }
    }
    return low < entries.count && entries[low].id == id ? low : nil
  }

  /// What the delivering thread does next.
  @inlinable
  mutating func nextStep(granted: Subscribers.Demand, by receiver: Int) -> Step {
    if granted > .none, let index = index(of: receiver) { entries[index].demand += granted }
    if turn >= entries.count { turn = 0 }
    if turn == 0, let dropped = dropUnneeded() { return .drop(dropped) }
    for _ in 0..<entries.count {
      let index = turn
      turn = turn + 1 < entries.count ? turn + 1 : 0
      if let step = step(for: index) { return step }
    }
    turn = 0
    if let dropped = dropUnneeded() { return .drop(dropped) }
    isDelivering = false
    return .stop
  }

  @inlinable
  mutating func step(for index: Int) -> Step? {
    guard entries[index].isOpen else { return nil }
    entries[index].position = max(entries[index].position, start)
    let offset = entries[index].position - start
    guard offset < log.count else {
      guard let end else { return nil }
      if index < turn { turn -= 1 }
      return .end(end, entries.remove(at: index))
    }
    guard entries[index].demand > .none, let value = log[offset] else { return nil }
    entries[index].demand -= 1
    entries[index].position += 1
    return .value(value, entries[index])
  }

  /// Takes the oldest value out, if there are more than are to be kept and all who asked have it.
  @inlinable
  mutating func dropUnneeded() -> Output? {
    guard
      log.count > bufferSize,
      entries.allSatisfy({ $0.position > start || $0.demand == .none })
    else { return nil }
    start += 1
    return log.popFirst()
  }
}

extension FIFO {
  /// The element so far behind the first, if there is one.
  @inlinable
  subscript(offset: Int) -> Element? {
    head + offset < storage.count ? storage[head + offset] : nil
  }
}
