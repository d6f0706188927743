import Foundation

/// What a call remembers of its events: the first and the last ones, and how many stood in between.
///
/// A call that is sent again for days would fill the memory otherwise, and each failure carries what
/// happened so far.
struct CallHistory: Sendable {
  static let firstCount = 64
  static let lastCount = 192

  /// What is not remembered.
  private struct Gap: Sendable {
    var events = 0
    var requests = 0
    var end = Duration.zero
    /// The request that was made last in it.
    var built: RequestSummary?
  }

  private var first: [CallEntry] = []
  /// A ring, once it is full.
  private var last: [CallEntry] = []
  /// Where the oldest of the last ones stands.
  private var oldest = 0
  private var gap = Gap()
  /// How many of all entries let go of their requests.
  private var settledCount = 0

  init() {
    // As many as a call has that nobody sends again.
    first.reserveCapacity(4)
  }

  private var count: Int { first.count + gap.events + last.count }

  var lastEntry: CallEntry? {
    last.isEmpty ? first.last : last[oldest == 0 ? last.count - 1 : oldest - 1]
  }

  /// The request that was made last, before it was redirected anywhere.
  var built: RequestSummary? {
    newestFirst(last[..<oldest]) ?? newestFirst(last[oldest...]) ?? gap.built
      ?? newestFirst(first[...])
  }

  private func newestFirst(_ entries: ArraySlice<CallEntry>) -> RequestSummary? {
    for entry in entries.reversed() {
      if let request = entry.built { return request }
    }
    return nil
  }

  /// - Returns: What is forgotten for it, to be released without a lock.
  mutating func append(_ entry: CallEntry) -> CallEntry? {
    if first.count < Self.firstCount {
      first.append(entry)
      return nil
    }
    if last.count < Self.lastCount {
      last.append(entry)
      return nil
    }
    let forgotten = last[oldest]
    last[oldest] = entry
    oldest = (oldest + 1) % last.count
    gap.events += 1
    gap.requests += forgotten.isRequest ? 1 : 0
    gap.end = forgotten.time
    gap.built = forgotten.built ?? gap.built
    return forgotten
  }

  /// Lets go of the requests, whose bodies may be large, and keeps what is told of them.
  ///
  /// - Returns: What held them, to be released without a lock.
  mutating func settle() -> [CallEntry] {
    var released: [CallEntry] = []
    var index = max(settledCount, first.count + gap.events)
    for index in first.indices.dropFirst(settledCount) { released.append(first[index].settle()) }
    while index < count {
      let place = (oldest + index - first.count - gap.events) % last.count
      released.append(last[place].settle())
      index += 1
    }
    settledCount = count
    return released
  }

  /// The events in order, with one that tells of the gap.
  ///
  /// - Parameter number: The call's number among those that are observed.
  func events(inCall number: Int) -> [CallEvent] {
    var events = first.map { $0.event(inCall: number) }
    if gap.events > 0 {
      let kind = CallEvent.Kind.omitted(events: gap.events, requests: gap.requests)
      events.append(CallEntry(time: gap.end, content: .event(kind)).event(inCall: number))
    }
    events += last[oldest...].map { $0.event(inCall: number) }
    events += last[..<oldest].map { $0.event(inCall: number) }
    return events
  }

  /// The time of the last event.
  var duration: Duration { lastEntry?.time ?? .zero }
}
