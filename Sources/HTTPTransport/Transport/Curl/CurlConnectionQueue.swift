#if os(Linux)
  import HTTPWire
  import Streams
  import Synchronization

  /// The queue of calls for the connections of one loop or of several.
  ///
  /// There is one line for each origin, in the order of the calls, whichever loop serves them. A
  /// call waits only while no loop has a place for it. An urgent call passes the others, and has a
  /// connection that they do not take.
  ///
  /// If an origin may have HTTP/2, one call makes the first connection, and the others wait until
  /// its handshake has chosen the protocol (ALPN, RFC 7301). With HTTP/2 they share the connection.
  /// Otherwise they then make their own, and resume its TLS session. With libcurl's own wait alone
  /// (`CURLOPT_PIPEWAIT`), several connections can begin, none of which has a session to resume.
  ///
  /// libcurl has its own queue for calls beyond the connections of a host. It walks the whole queue
  /// at each turn, however, and counts the waiting as time to connect.
  final class CurlConnectionQueue: Sendable {
    /// A place in the line of an origin, at the loop that serves the call.
    ///
    /// A call that has begun keeps it, so that the line is looked up once.
    struct Line: Sendable, Equatable {
      let origin: String
      let loop: Int
      fileprivate let number: Int
      fileprivate let queue: CurlConnectionQueue

      static func == (one: Line, other: Line) -> Bool {
        one.number == other.number && one.loop == other.loop && one.queue === other.queue
      }

      /// Notes that the loop has a connection to the origin, which serves many calls or one at a
      /// time.
      ///
      /// It may run inside libcurl. The loop starts the calls afterwards.
      func noteConnection(servesMany: Bool) {
        queue.state.withLock { state in
          guard let line = state.lines[number],
            line.noteConnection(servesMany: servesMany, at: loop)
          else { return }
          state.noteWidened(line, at: loop)
        }
      }
    }

    enum Entry {
      case begins(Line)
      /// - Parameter wakes: The loop that has to learn of an earlier time limit.
      case waits(wakes: Int?)
      case closed
    }

    fileprivate struct Loop {
      /// The number of calls that it serves.
      var load = 0
      var isHeld = false
      var hasBegun = false
      /// The lines that have new places for calls that wait.
      var widened: [Int] = []
    }

    fileprivate struct State {
      var loops: [Loop]
      var lines: [Int: CurlOriginLine] = [:]
      var numbers: [String: Int] = [:]
      var lastNumber = 0
      var waiting: [ObjectIdentifier: (job: CurlJob, line: Int)] = [:]
      /// A lower bound of the waiting calls' time limits and of those of first connections.
      var nextDeadline: ContinuousClock.Instant?
      var isClosed = false
    }

    private let share: ConnectionShare
    /// The time for which calls wait for the first connection; nil where HTTP/2 is not offered.
    private let patience: Duration?
    private let state: Lock<State>

    /// The number of concurrent streams on the HTTP/2 connections to one origin.
    ///
    /// Servers allow about as many.
    static let multiplexedSlots = 100
    /// The number of further connections to an origin that are kept for urgent calls.
    static let keptSlots = 1
    /// The number of empty lines that are kept, since another call to the origin is likely.
    private static let maxEmptyLines = 64
    /// The number of calls with which a loop has enough to do, so that another one helps.
    fileprivate static let enough = 3

    /// - Parameters:
    ///   - share: The number of connections that each loop has to an origin.
    ///   - patience: The time for which calls with TLS wait for the first connection to their
    ///     origin, or nil if it cannot be of HTTP/2.
    init(_ share: ConnectionShare, patience: Duration? = nil) {
      self.share = share
      self.patience = patience
      state = Lock(State(loops: Array(repeating: Loop(), count: share.loops)))
    }

    // MARK: For any thread

    /// Returns the place of a call that may begin at once, or says that it waits.
    ///
    /// - Parameter loop: The loop of the calling thread, or nil if it belongs to none.
    func enter(_ job: CurlJob, near loop: Int? = nil) -> Entry {
      state.withLock { state in
        guard !state.isClosed else { return .closed }
        let line = line(of: job, in: &state)
        let isNext = job.request.isUrgent || !line.hasWaiting
        guard isNext, let loop = state.loop(for: job, in: line, near: loop) else {
          return .waits(wakes: wait(job, in: line, &state) ? state.keeper : nil)
        }
        state.begin(job, in: line, at: loop)
        return .begins(place(in: line, at: loop))
      }
    }

    /// Refuses the calls that come from here on.
    func close() { state.withLock { $0.isClosed = true } }

    // MARK: For the leader of a loop

    /// Notes the end of a call that had begun.
    func leave(_ line: Line) {
      state.withLock { state in
        state.loops[line.loop].load -= 1
        guard let known = state.lines[line.number] else { return }
        if known.leave(line.loop) { state.noteWidened(known, at: line.loop) }
        guard known.isEmpty, state.lines.count > Self.maxEmptyLines else { return }
        state.lines[line.number] = nil
        state.numbers[line.origin] = nil
      }
    }

    /// Returns the lines of which the loop has learned that they have more places, since the last
    /// look, and whose calls wait.
    func takeWidened(at loop: Int = 0) -> [Line] {
      state.withLock { state in
        guard !state.loops[loop].widened.isEmpty else { return [] }
        defer { state.loops[loop].widened = [] }
        return state.loops[loop].widened.compactMap { number in
          state.lines[number].map { place(in: $0, at: loop) }
        }
      }
    }

    /// Returns the next call of the line that may begin, with its place, and counts it as begun.
    ///
    /// The place may be at another loop.
    func next(_ line: Line) -> (job: CurlJob, line: Line)? {
      state.withLock { state -> (job: CurlJob, line: Line)? in
        guard let known = state.lines[line.number] else { return nil }
        while let call = known.calls.first {
          guard let (job, _) = state.waiting[ObjectIdentifier(call)] else {
            known.calls.removeFirst()
            known.gone -= 1
            continue
          }
          guard let loop = state.loop(for: job, in: known, near: line.loop) else { return nil }
          known.calls.removeFirst()
          state.waiting[ObjectIdentifier(call)] = nil
          state.begin(job, in: known, at: loop)
          if let patience { state.noteDeadline(known.limitWait(patience)) }
          return (job, place(in: known, at: loop))
        }
        return nil
      }
    }

    /// Whether no call may begin at a loop at present.
    func isHeld(_ loop: Int = 0) -> Bool { state.withLock { $0.loops[loop].isHeld } }

    /// Lets no call begin at a loop, or lets them begin again.
    func hold(_ isHeld: Bool, _ loop: Int = 0) {
      state.withLock { $0.loops[loop].isHeld = isHeld }
    }

    /// The lines with waiting calls, as a loop sees them.
    func waitingLines(at loop: Int = 0) -> [Line] {
      state.withLock { state in
        state.lines.values.filter { !$0.calls.isEmpty }.map { place(in: $0, at: loop) }
      }
    }

    /// Removes a call from its line, if it waits.
    @discardableResult
    func remove(_ call: EngineCall) -> CurlJob? { state.withLock { $0.remove(call) } }

    /// The earliest time at which a wait may end, or an earlier time.
    var nextDeadline: ContinuousClock.Instant? { state.withLock { $0.nextDeadline } }

    /// Ends the waits for first connections that take too long.
    ///
    /// The lines are then among those of the loop that have more places.
    func endWaits(_ now: ContinuousClock.Instant, at loop: Int = 0) {
      state.withLock { state in
        for line in state.lines.values where line.ends.contains(where: { $0 <= now }) {
          line.noteNoConnection()
          state.noteWidened(line, at: loop)
        }
      }
    }

    /// Removes and returns the calls whose time limit has passed.
    func removeExpired(_ now: ContinuousClock.Instant) -> [CurlJob] {
      state.withLock { state in
        guard let due = state.nextDeadline, due <= now else { return [] }
        var expired: [CurlJob] = []
        state.nextDeadline = nil
        for (job, _) in state.waiting.values {
          guard let deadline = job.deadline else { continue }
          if deadline <= now {
            expired.append(job)
          } else {
            state.noteDeadline(deadline)
          }
        }
        for line in state.lines.values { for end in line.ends { state.noteDeadline(end) } }
        for job in expired { state.remove(job.call) }
        return expired
      }
    }

    /// Why a call to that origin waits at a loop.
    func reasonOfWait(for origin: String, at loop: Int = 0) -> String {
      state.withLock { state in
        if state.loops[loop].isHeld { return "subscribers blocked all threads of the transport" }
        return state.numbers[origin].flatMap { state.lines[$0]?.awaitsConnection } == true
          ? "another call's connection to the host was still being made"
          : "all \(share.total) connections to the host were busy"
      }
    }

    /// Removes and returns all waiting calls.
    func removeAll() -> [CurlJob] {
      state.withLock { state in
        let jobs = state.waiting.values.map(\.job)
        state.waiting = [:]
        state.nextDeadline = nil
        for line in state.lines.values {
          line.calls = []
          line.gone = 0
        }
        return jobs
      }
    }

    // MARK: With the lock held

    private func place(in line: CurlOriginLine, at loop: Int) -> Line {
      Line(origin: line.origin, loop: loop, number: line.number, queue: self)
    }

    private func line(of job: CurlJob, in state: inout State) -> CurlOriginLine {
      if let line = state.numbers[job.origin].flatMap({ state.lines[$0] }) { return line }
      state.lastNumber += 1
      let line = CurlOriginLine(
        job.origin, number: state.lastNumber, home: state.home,
        mayBeShared: patience != nil && job.origin.hasPrefix("https"),
        connections: (0..<share.loops).map(share.connections))
      state.lines[line.number] = line
      state.numbers[job.origin] = line.number
      return line
    }

    /// Adds a call to those that wait, and returns whether the next deadline is now earlier.
    private func wait(_ job: CurlJob, in line: CurlOriginLine, _ state: inout State) -> Bool {
      if job.request.isUrgent {
        line.calls.insert(job.call, at: line.calls.startIndex)
      } else if job.request.goesFirst {
        // An urgent call at the head has a connection that no other may take.
        let head = line.calls.firstIndex { !state.isUrgent($0) } ?? line.calls.endIndex
        line.calls.insert(job.call, at: head)
      } else {
        line.calls.append(job.call)
      }
      state.waiting[ObjectIdentifier(job.call)] = (job, line.number)
      job.call.loop.store(state.keeper, ordering: .relaxed)
      let former = state.nextDeadline
      state.noteDeadline(job.deadline)
      if let patience { state.noteDeadline(line.limitWait(patience)) }
      return state.nextDeadline != former
    }
  }

  extension CurlConnectionQueue.State {
    /// The loop at which an origin's first call begins: the first one that is not busy, or else the
    /// one with the fewest calls.
    fileprivate var home: Int {
      loops.firstIndex { $0.load < CurlConnectionQueue.enough }
        ?? loops.indices.min { loops[$0].load < loops[$1].load } ?? 0
    }

    /// The loop that watches the time limits of calls that wait.
    fileprivate var keeper: Int {
      loops.firstIndex { $0.hasBegun && !$0.isHeld } ?? loops.firstIndex(where: \.hasBegun) ?? 0
    }

    /// Returns the loop that serves a call, or nil if no loop has a place for it.
    ///
    /// It is the near one, or the first one, as long as that is not busy. The next loop thus begins
    /// only when those before it have enough to do. If all are busy, it is the one with the fewest
    /// calls.
    fileprivate func loop(for job: CurlJob, in line: CurlOriginLine, near: Int?) -> Int? {
      let preferred = near ?? line.home
      var idle: Int?
      var least: (load: Int, loop: Int)?
      for loop in loops.indices where !loops[loop].isHeld && line.hasPlace(for: job, at: loop) {
        let load = loops[loop].load
        if load < CurlConnectionQueue.enough {
          if loop == preferred { return loop }
          idle = idle ?? loop
        }
        let isBetter = least.map { load < $0.load || load == $0.load && loop == preferred } ?? true
        if isBetter { least = (load, loop) }
      }
      if let loop = idle ?? least?.loop { return loop }
      guard job.request.isUrgent, line.hasKeptPlace(of: CurlConnectionQueue.keptSlots) else {
        return nil
      }
      return loops.indices.filter { !loops[$0].isHeld }.min { loops[$0].load < loops[$1].load }
    }

    fileprivate mutating func begin(_ job: CurlJob, in line: CurlOriginLine, at loop: Int) {
      loops[loop].load += 1
      loops[loop].hasBegun = true
      job.call.loop.store(loop, ordering: .relaxed)
      line.begin(job, at: loop)
    }

    fileprivate func isUrgent(_ call: EngineCall) -> Bool {
      waiting[ObjectIdentifier(call)]?.job.request.isUrgent == true
    }

    fileprivate mutating func noteWidened(_ line: CurlOriginLine, at loop: Int) {
      if !line.calls.isEmpty { loops[loop].widened.append(line.number) }
    }

    fileprivate mutating func noteDeadline(_ deadline: ContinuousClock.Instant?) {
      guard let deadline else { return }
      nextDeadline = nextDeadline.map { min($0, deadline) } ?? deadline
    }

    @discardableResult
    fileprivate mutating func remove(_ call: EngineCall) -> CurlJob? {
      guard let (job, number) = waiting.removeValue(forKey: ObjectIdentifier(call)),
        let line = lines[number]
      else { return nil }
      line.gone += 1
      if line.gone > 64, line.gone > line.calls.count / 2 {
        line.calls.removeAll { waiting[ObjectIdentifier($0)] == nil }
        line.gone = 0
      }
      return job
    }
  }
#endif
