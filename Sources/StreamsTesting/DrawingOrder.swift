/// Work that is due at one time, in the order of scheduling, to draw from at random.
///
/// A draw counts only what is left. A tree of counts, after Fenwick, finds and removes a place in
/// logarithmic time.
struct DrawingOrder: Sendable {
  private var tickets: [WorkQueue.Ticket] = []
  /// The number of those that are left among some up to each place, counted from one.
  ///
  /// The lowest bit of the place says how many places these are.
  private var counts: [Int] = []
  /// The number of those that are left.
  private(set) var count = 0

  /// - Parameter ticket: Work that was scheduled later than all others here.
  mutating func append(_ ticket: WorkQueue.Ticket) {
    tickets.append(ticket)
    count += 1
    let place = tickets.count
    let start = place - (place & -place)
    var total = 1
    var below = place - 1
    while below > start {
      total += counts[below - 1]
      below -= below & -below
    }
    counts.append(total)
  }

  /// Takes out one of those that are left.
  ///
  /// - Parameter index: Its index among them.
  mutating func remove(at index: Int) -> WorkQueue.Ticket {
    var (place, rest, step) = (0, index, 1)
    while step * 2 <= counts.count { step *= 2 }
    while step > 0 {
      let next = place + step
      if next <= counts.count, counts[next - 1] <= rest {
        rest -= counts[next - 1]
        place = next
      }
      step /= 2
    }
    let ticket = tickets[place]
    removeOne(at: place)
    return ticket
  }

  /// Takes out work that is left, if it is here.
  mutating func remove(_ ticket: WorkQueue.Ticket) {
    var (low, high) = (0, tickets.count)
    while low < high {
      let middle = (low + high) / 2
      if tickets[middle].number < ticket.number { low = middle + 1 } else { high = middle }
    }
    if low < tickets.count, tickets[low].number == ticket.number { removeOne(at: low) }
  }

  private mutating func removeOne(at index: Int) {
    count -= 1
    if count == 0 {
      self = DrawingOrder()
      return
    }
    var place = index + 1
    while place <= counts.count {
      counts[place - 1] -= 1
      place += place & -place
    }
  }
}
