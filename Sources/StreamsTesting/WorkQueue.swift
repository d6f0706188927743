/// Work in the order of its due time, then of its rank, and then of its scheduling.
///
/// A heap of small entries, beside the actions: adding, taking and removing are logarithmic at
/// most. A removed action is released at once, and its entry later.
struct WorkQueue: Sendable {
  /// The place of work among other work of the same time.
  enum Rank: Int, Sendable {
    /// Runs first, in the order of scheduling, whatever the seed.
    case first
    case usual
  }

  /// A struct, since a collection would wrap a bare closure.
  struct Work: Sendable {
    let action: @Sendable () -> Void
  }

  /// A piece of work, by the number of its scheduling and the place of its action.
  struct Ticket: Sendable {
    let number: Int
    let slot: Int
  }

  struct Entry: Sendable {
    let due: Duration
    let rank: Rank
    let ticket: Ticket

    func precedes(_ other: Entry) -> Bool {
      if due != other.due { return due < other.due }
      if rank != other.rank { return rank.rawValue < other.rank.rawValue }
      return ticket.number < other.ticket.number
    }
  }

  /// The place of one action, and later of others.
  private struct Slot: Sendable {
    var number: Int
    var work: Work?
  }

  private var entries: [Entry] = []
  private var slots: [Slot] = []
  private var freeSlots: [Int] = []
  private var nextNumber = 0

  /// The number of pieces of work.
  var count: Int { slots.count - freeSlots.count }

  mutating func add(_ work: Work, due: Duration, rank: Rank) -> Ticket {
    let slot = freeSlots.popLast() ?? slots.count
    let ticket = Ticket(number: nextNumber, slot: slot)
    nextNumber += 1
    let content = Slot(number: ticket.number, work: work)
    if slot < slots.count { slots[slot] = content } else { slots.append(content) }
    entries.append(Entry(due: due, rank: rank, ticket: ticket))
    siftUp()
    return ticket
  }

  /// Returns the entry of the next work, without those of removed work.
  mutating func first() -> Entry? {
    while let entry = entries.first {
      if slots[entry.ticket.slot].number == entry.ticket.number { return entry }
      removeFirstEntry()
    }
    return nil
  }

  /// Takes the next work out of the order, from where ``take(_:)`` still finds its action.
  mutating func removeFirstEntry() {
    let last = entries.removeLast()
    if !entries.isEmpty { siftDown(last, from: 0) }
  }

  /// Takes out the action, unless it was taken or removed.
  mutating func take(_ ticket: Ticket) -> Work? {
    guard slots[ticket.slot].number == ticket.number else { return nil }
    slots[ticket.slot].number = -1
    freeSlots.append(ticket.slot)
    return slots[ticket.slot].work.take()
  }

  /// Removes work that must not run, and returns it for its release.
  mutating func remove(_ ticket: Ticket) -> Work? {
    let work = take(ticket)
    // Each removal pays for one or two entries, so the cost of all is as low as if none were left.
    if entries.count > 2 * count + 32 {
      entries.removeAll { slots[$0.ticket.slot].number != $0.ticket.number }
      for place in stride(from: entries.count / 2 - 1, through: 0, by: -1) {
        siftDown(entries[place], from: place)
      }
    }
    return work
  }

  private mutating func siftUp() {
    var place = entries.count - 1
    let entry = entries[place]
    while place > 0 {
      let parent = (place - 1) / 2
      guard entry.precedes(entries[parent]) else { break }
      entries[place] = entries[parent]
      place = parent
    }
    entries[place] = entry
  }

  /// Puts an entry where it belongs, at a place or below it.
  private mutating func siftDown(_ entry: Entry, from start: Int) {
    var place = start
    while true {
      var child = 2 * place + 1
      guard child < entries.count else { break }
      if child + 1 < entries.count, entries[child + 1].precedes(entries[child]) { child += 1 }
      guard entries[child].precedes(entry) else { break }
      entries[place] = entries[child]
      place = child
    }
    entries[place] = entry
  }
}
