#if os(Linux)
  /// The queue of calls for connections: one line for each origin, in the order of the calls.
  ///
  /// An urgent call passes the others, and has a connection that they do not take.
  ///
  /// If an origin may have HTTP/2, one call makes the first connection, and the others wait until
  /// its handshake has chosen the protocol (ALPN, RFC 7301). With HTTP/2 they share the connection.
  /// Otherwise they then make their own, and resume its TLS session. With libcurl's own wait alone
  /// (`CURLOPT_PIPEWAIT`), several connections can begin, none of which has a session to resume.
  ///
  /// libcurl has its own queue for calls beyond the connections of a host. It walks the whole queue
  /// at each turn, however, and counts the waiting as time to connect.
  final class CurlConnectionQueue {
    /// The calls to one origin.
    ///
    /// A call that has begun keeps its line, so that the line is looked up once.
    final class Line {
      let origin: String
      fileprivate var active = 0
      /// The number of places while a connection serves one call at a time.
      fileprivate let connections: Int
      fileprivate var slots: Int
      // This keeps its calls alive, so that another call cannot get the identity of one that left.
      fileprivate var calls: ArraySlice<EngineCall> = []
      fileprivate var gone = 0
      private let widened: Widened
      private let mayBeShared: Bool
      fileprivate var first: FirstConnection
      /// Whether the last connection served one call at a time.
      private var servesOne = false

      fileprivate init(_ origin: String, slots: Int, mayBeShared: Bool, _ widened: Widened) {
        self.origin = origin
        connections = slots
        self.slots = slots
        self.widened = widened
        self.mayBeShared = mayBeShared
        first = mayBeShared ? .due : .over
      }

      /// Begins anew when the last call has left.
      ///
      /// The server may use another version of HTTP with the next call. But where a connection
      /// served one call at a time, no call waits for another one's again.
      fileprivate func renew() {
        slots = connections
        first = mayBeShared && !servesOne ? .due : .over
      }

      fileprivate var isEmpty: Bool { active == 0 && calls.count == gone }

      /// Notes that there is a connection to the origin, which serves many calls or one at a time.
      ///
      /// It may run inside libcurl. The loop starts the calls afterwards.
      func noteConnection(servesMany: Bool) {
        let most =
          servesMany ? max(connections, CurlConnectionQueue.multiplexedSlots) : slots
        servesOne = !servesMany
        guard slots != most || first != .over else { return }
        slots = most
        noteFirstConnection()
      }

      /// Ends the wait for the first connection, whether there is one or not.
      fileprivate func noteFirstConnection() {
        first = .over
        if !calls.isEmpty { widened.lines.append(self) }
      }

      /// Whether another call may begin.
      fileprivate func hasPlace(for job: CurlJob) -> Bool {
        guard !job.request.isUrgent else { return active < slots + CurlConnectionQueue.keptSlots }
        return active < slots && !first.isAwaited
      }

      fileprivate func begin(_ job: CurlJob) {
        active += 1
        if first == .due, job.mayShare { first = .awaited(until: nil) }
      }
    }

    /// The connection from which the other calls learn whether they can share it.
    fileprivate enum FirstConnection: Equatable {
      case due
      /// A call makes it. Others wait for it, if there are any, until this time at most.
      case awaited(until: ContinuousClock.Instant?)
      case over

      var isAwaited: Bool { if case .awaited = self { true } else { false } }
    }

    /// The lines with new places for calls that wait.
    fileprivate final class Widened {
      var lines: [Line] = []
    }

    private let slots: Int
    private let slotsOfOrigin: ((String) -> Int)?
    /// The time for which calls wait for the first connection; nil where HTTP/2 is not offered.
    private let patience: Duration?
    private let widened = Widened()
    private var lines: [String: Line] = [:]
    private var waiting: [ObjectIdentifier: (job: CurlJob, line: Line)] = [:]

    /// Whether no call may begin at present.
    var isHeld = false

    /// A lower bound of the waiting calls' time limits and of those of first connections, or nil if
    /// there are none.
    private(set) var nextDeadline: ContinuousClock.Instant?

    /// The number of concurrent streams on the HTTP/2 connections to one origin.
    ///
    /// Servers allow about as many.
    fileprivate static let multiplexedSlots = 100
    /// The number of further connections to an origin that are kept for urgent calls.
    static let keptSlots = 1
    /// The number of empty lines that are kept, since another call to the origin is likely.
    private static let maxEmptyLines = 64

    /// - Parameters:
    ///   - slots: The number of connections to an origin.
    ///   - slotsOfOrigin: Returns the number for an origin, if it differs.
    ///   - patience: The time for which calls with TLS wait for the first connection to their
    ///     origin, or nil if it cannot be of HTTP/2.
    init(slots: Int, of slotsOfOrigin: ((String) -> Int)? = nil, patience: Duration? = nil) {
      self.slots = slots
      self.slotsOfOrigin = slotsOfOrigin
      self.patience = patience
    }

    /// Returns the line of a call that may begin at once, or nil if the call waits.
    func enter(_ job: CurlJob) -> Line? {
      let line = line(of: job.origin)
      let isNext = job.request.isUrgent || line.calls.count == line.gone
      guard !isHeld, isNext, line.hasPlace(for: job) else {
        if job.request.isUrgent {
          line.calls.insert(job.call, at: line.calls.startIndex)
        } else if job.request.goesFirst {
          // An urgent call at the head has a connection that no other may take.
          let head = line.calls.firstIndex { !isUrgent($0) } ?? line.calls.endIndex
          line.calls.insert(job.call, at: head)
        } else {
          line.calls.append(job.call)
        }
        waiting[ObjectIdentifier(job.call)] = (job, line)
        if let deadline = job.deadline { noteDeadline(deadline) }
        limitWait(in: line)
        return nil
      }
      line.begin(job)
      return line
    }

    /// Begins the time of the first connection, if calls wait for it.
    private func limitWait(in line: Line) {
      guard let patience, line.first == .awaited(until: nil), !line.calls.isEmpty else { return }
      let end = ContinuousClock.now + patience
      line.first = .awaited(until: end)
      noteDeadline(end)
    }

    private func noteDeadline(_ deadline: ContinuousClock.Instant) {
      nextDeadline = nextDeadline.map { min($0, deadline) } ?? deadline
    }

    /// Whether a call to that origin would wait for another one's connection.
    func awaitsConnection(to origin: String) -> Bool { lines[origin]?.first.isAwaited == true }

    private func isUrgent(_ call: EngineCall) -> Bool {
      waiting[ObjectIdentifier(call)]?.job.request.isUrgent == true
    }

    private func line(of origin: String) -> Line {
      if let line = lines[origin] { return line }
      let line = Line(
        origin, slots: slotsOfOrigin?(origin) ?? slots,
        mayBeShared: patience != nil && origin.hasPrefix("https"), widened)
      lines[origin] = line
      return line
    }

    /// Notes the end of a call that had begun.
    func leave(_ line: Line) {
      line.active -= 1
      // If it was the one that makes the first connection, the others make theirs.
      if line.first.isAwaited { line.noteFirstConnection() }
      guard line.isEmpty else { return }
      line.calls = []
      line.gone = 0
      line.renew()
      if lines.count > Self.maxEmptyLines { lines[line.origin] = nil }
    }

    /// Returns the lines that have become wider since the last look, and whose calls wait.
    func takeWidened() -> [Line] {
      guard !widened.lines.isEmpty else { return [] }
      defer { widened.lines = [] }
      return widened.lines
    }

    /// Returns the next call of the line that may begin, and counts it as begun.
    func next(_ line: Line) -> CurlJob? {
      while !isHeld, let call = line.calls.first {
        guard let (job, _) = waiting[ObjectIdentifier(call)] else {
          line.calls.removeFirst()
          line.gone -= 1
          continue
        }
        guard line.hasPlace(for: job) else { return nil }
        line.calls.removeFirst()
        waiting[ObjectIdentifier(call)] = nil
        line.begin(job)
        limitWait(in: line)
        return job
      }
      return nil
    }

    /// The lines with waiting calls.
    var waitingLines: [Line] { lines.values.filter { !$0.calls.isEmpty } }

    /// Removes a call from its line, if it waits.
    @discardableResult
    func remove(_ call: EngineCall) -> CurlJob? {
      guard let (job, line) = waiting.removeValue(forKey: ObjectIdentifier(call)) else {
        return nil
      }
      line.gone += 1
      if line.gone > 64, line.gone > line.calls.count / 2 {
        line.calls.removeAll { waiting[ObjectIdentifier($0)] == nil }
        line.gone = 0
      }
      return job
    }

    /// Ends the waits for first connections that take too long.
    ///
    /// The lines are then among the widened ones.
    func endWaits(_ now: ContinuousClock.Instant) {
      for line in lines.values {
        if case .awaited(let end?) = line.first, end <= now { line.noteFirstConnection() }
      }
    }

    /// Removes and returns the calls whose time limit has passed.
    func removeExpired(_ now: ContinuousClock.Instant) -> [CurlJob] {
      guard let due = nextDeadline, due <= now else { return [] }
      var expired: [CurlJob] = []
      nextDeadline = nil
      for (job, _) in waiting.values {
        guard let deadline = job.deadline else { continue }
        if deadline <= now {
          expired.append(job)
        } else {
          noteDeadline(deadline)
        }
      }
      for line in lines.values {
        if case .awaited(let end?) = line.first { noteDeadline(end) }
      }
      for job in expired { remove(job.call) }
      return expired
    }

    /// Removes and returns all waiting calls.
    func removeAll() -> [CurlJob] {
      defer {
        lines = [:]
        waiting = [:]
        nextDeadline = nil
      }
      return waiting.values.map(\.job)
    }
  }
#endif
