/// The waits for a clock, in the order of their ends.
///
/// The runtime keeps some hundred bytes of a sleep until its time, even of one that was cancelled.
/// So the queue sleeps once for many waits: a sleep begins only for a wait that ends before the
/// present sleeps do. Such a sleep lasts half of the time only, so that few are needed for waits of
/// which each ends before the last one. A cancelled wait ends at once. Its time stays in the heap
/// until more than half of the times are of such waits.
final class TimerQueue<C: Clock>: Sendable where C.Duration == Duration {
  private typealias Wait = CheckedContinuation<Void, any Error>

  private struct State: Sendable {
    var waits: [Int: Wait] = [:]
    var heap = TimerHeap()
    var last = 0
    /// The sleeps, the one that ends first at the end.
    var sleeps: [(end: Duration, task: Task<Void, Never>)] = []
  }

  private let clock: C
  /// All times are counted from here, so that no code of a clock runs under the lock.
  private let start: C.Instant
  private let keepsSleeps: Bool
  private let state = Lock(State())

  /// - Parameter keepsSleeps: Whether a sleep goes on when nobody waits, for those who come later.
  ///   If false, it is cancelled.
  init(_ clock: C, keepsSleeps: Bool) {
    self.clock = clock
    self.keepsSleeps = keepsSleeps
    start = clock.now
  }

  /// The time on the clock since this queue was made.
  var now: Duration { start.duration(to: clock.now) }

  /// The numbers of sleeps and of times in the heap, for tests.
  var counts: (sleeps: Int, times: Int) { state.withLock { ($0.sleeps.count, $0.heap.count) } }

  /// Waits until a time of ``now``.
  ///
  /// - Throws: `CancellationError`, at once, if the task is cancelled; what the clock throws, if it
  ///   does.
  func wait(until time: Duration) async throws {
    let begin = now
    let number = state.withLock { state in
      state.last += 1
      return state.last
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { wait in
        // A cancel sets the flag before its handler asks for the lock.
        let isCancelled = state.withLock { state in
          if Task.isCancelled { return true }
          state.waits[number] = wait
          state.heap.insert(TimerHeap.Entry(time: time, number: number))
          sleepIfNeeded(&state, since: begin)
          return false
        }
        if isCancelled { wait.resume(throwing: CancellationError()) }
      }
    } onCancel: {
      cancel(number)
    }
  }

  private func cancel(_ number: Int) {
    let (wait, sleeps) = state.withLock { state in
      let wait = state.waits.removeValue(forKey: number)
      if state.heap.count > 2 * state.waits.count + 8 {
        state.heap.keep { state.waits[$0.number] != nil }
      }
      guard state.waits.isEmpty, !keepsSleeps else { return (wait, [] as [Task<Void, Never>]) }
      return (wait, exchange(&state.sleeps, with: []).map(\.task))
    }
    for sleep in sleeps { sleep.cancel() }
    wait?.resume(throwing: CancellationError())
  }

  /// Begins a sleep if none ends in time for the earliest wait.
  ///
  /// - Parameter begin: The time of a new wait, or nil to sleep until the wait ends.
  private func sleepIfNeeded(_ state: inout State, since begin: Duration? = nil) {
    guard let end = state.heap.first?.time, state.sleeps.last.map({ end < $0.end }) ?? true else {
      return
    }
    let isShort = begin.map { state.sleeps.isEmpty || end - $0 < .milliseconds(10) } ?? true
    let time = isShort ? end : end - (end - (begin ?? end)) / 2
    // Others use the sleep as well, so it has nothing of the task that waits.
    let task = Task.detached { [self] in
      do {
        try await clock.sleep(until: start.advanced(by: time), tolerance: nil)
      } catch {
        // Only a sleep that nobody needs is cancelled.
        if !Task.isCancelled { fail(until: time, with: error) }
        return
      }
      wake(from: time)
    }
    state.sleeps.append((time, task))
  }

  /// Ends the waits that only a sleep of the clock that failed would have ended.
  private func fail(until end: Duration, with error: any Error) {
    let failed: [Wait] = state.withLock { state in
      if let place = state.sleeps.firstIndex(where: { $0.end == end }) {
        state.sleeps.remove(at: place)
      }
      guard let first = state.heap.first?.time,
        state.sleeps.last.map({ first < $0.end }) ?? true
      else { return [] }
      let failed = state.heap.takeAll(until: end)
        .compactMap { state.waits.removeValue(forKey: $0) }
      sleepIfNeeded(&state)
      return failed
    }
    for wait in failed { wait.resume(throwing: error) }
  }

  private func wake(from end: Duration) {
    // A clock that wakes early would leave its wait without a sleep.
    let now = max(now, end)
    let due = state.withLock { state in
      state.sleeps.removeAll { $0.end <= end }
      let due = state.heap.takeAll(until: now).compactMap { state.waits.removeValue(forKey: $0) }
      sleepIfNeeded(&state)
      return due
    }
    for wait in due { wait.resume() }
  }
}

/// The queues of the system's clocks, which all schedulers of such a clock share.
enum SystemTimers {
  static let continuous = TimerQueue(ContinuousClock(), keepsSleeps: true)
  static let suspending = TimerQueue(SuspendingClock(), keepsSleeps: true)
}

/// Times in a binary heap, so that the earliest is found at once.
struct TimerHeap: Sendable {
  struct Entry: Sendable {
    let time: Duration
    /// The number of the wait.
    ///
    /// Of two waits with one time, the one with the smaller number is first.
    let number: Int

    fileprivate func precedes(_ other: Entry) -> Bool {
      time == other.time ? number < other.number : time < other.time
    }
  }

  private var entries: [Entry] = []

  var first: Entry? { entries.first }
  var count: Int { entries.count }

  mutating func insert(_ entry: Entry) {
    entries.append(entry)
    var place = entries.count - 1
    while place > 0, entries[place].precedes(entries[(place - 1) / 2]) {
      entries.swapAt(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
  }

  /// Removes what is due.
  ///
  /// - Returns: The numbers, in the order of time.
  mutating func takeAll(until now: Duration) -> [Int] {
    var numbers: [Int] = []
    while let entry = entries.first, entry.time <= now {
      numbers.append(entry.number)
      removeFirst()
    }
    return numbers
  }

  /// Keeps the entries that satisfy a condition.
  mutating func keep(where condition: (Entry) -> Bool) {
    // What is sorted is a heap.
    entries = entries.filter(condition).sorted { $0.precedes($1) }
  }

  private mutating func removeFirst() {
    entries.swapAt(0, entries.count - 1)
    entries.removeLast()
    var place = 0
    while true {
      let children = [2 * place + 1, 2 * place + 2].filter { $0 < entries.count }
      guard let child = children.min(by: { entries[$0].precedes(entries[$1]) }),
        entries[child].precedes(entries[place])
      else { return }
      entries.swapAt(place, child)
      place = child
    }
  }
}
