import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The stored events of a call: the first ones, the last ones, and the number of events between
/// them.
///
/// A call that is repeated for days would otherwise fill the memory, and each failure carries its
/// events.
struct CallHistory: Sendable {
  static let firstCount = 64
  static let lastCount = 192

  /// The summary of the events that are not stored.
  private struct Gap: Sendable {
    var events = 0
    var requests = 0
    var end = Duration.zero
    /// The last request that was built in the gap.
    var built: RequestSummary?
  }

  private var first: [CallEntry] = []
  /// The last entries, a ring once it is full.
  private var last: [CallEntry] = []
  /// The index of the oldest entry in the ring.
  private var oldest = 0
  private var gap = Gap()
  /// The number of entries that have released their requests.
  private var releasedCount = 0

  init() {
    // A call without a repetition needs this capacity.
    first.reserveCapacity(4)
  }

  private var count: Int { first.count + gap.events + last.count }

  var lastEntry: CallEntry? {
    last.isEmpty ? first.last : last[oldest == 0 ? last.count - 1 : oldest - 1]
  }

  /// The last request that was built, before any redirect.
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

  /// - Returns: The entry that was dropped, so that the caller can release it without a lock.
  mutating func append(_ entry: consuming CallEntry) -> CallEntry? {
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

  /// Releases the requests, whose bodies may be large, and keeps their summaries.
  ///
  /// - Returns: The entries that held them, so that the caller can release them without a lock.
  mutating func releaseRequests() -> [CallEntry] {
    var released: [CallEntry] = []
    var index = max(releasedCount, first.count + gap.events)
    for index in first.indices.dropFirst(releasedCount) {
      released.append(first[index].releaseRequest())
    }
    while index < count {
      let place = (oldest + index - first.count - gap.events) % last.count
      released.append(last[place].releaseRequest())
      index += 1
    }
    releasedCount = count
    return released
  }

  /// Returns the events in order, with one for the gap.
  ///
  /// - Parameter number: The call's number among the observed calls.
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

/// The stored form of an event.
///
/// The event itself is made only when the log is read, which most calls never need.
struct CallEntry: Sendable {
  enum Content: Sendable {
    case built(URLRequest)
    case event(CallEvent.Kind)
  }

  let time: Duration
  private(set) var content: Content

  init(time: Duration, content: Content) {
    self.time = time
    self.content = content
  }

  private var kind: CallEvent.Kind {
    switch content {
    case .built(let request): .built(RequestSummary(request))
    case .event(let kind): kind
    }
  }

  /// The request, if the entry records that a request was built.
  var built: RequestSummary? {
    switch content {
    case .built(let request): RequestSummary(request)
    case .event(.built(let request)): request
    default: nil
    }
  }

  /// Whether a request was sent.
  var isRequest: Bool {
    if case .event(.sent) = content { true } else { false }
  }

  /// Releases the request, whose body may be large.
  ///
  /// - Returns: The entry that held the request.
  mutating func releaseRequest() -> CallEntry {
    let old = self
    content = .event(kind)
    return old
  }

  /// - Parameter number: The call's number among the observed calls.
  func event(inCall number: Int) -> CallEvent {
    CallEvent(time: time, kind: kind, call: number)
  }
}
