#if os(Linux)
  /// The queue of calls for connections: one line for each origin, in the order of the calls.
  ///
  /// An urgent call passes the others, and has a connection that they do not take.
  ///
  /// libcurl has its own queue for calls beyond the connections of a host. It walks the whole queue
  /// at each turn, however, and counts the waiting as time to connect.
  final class CurlConnectionQueue {
    /// The calls to one origin.
    ///
    /// A call that has begun keeps its line, so that the line is looked up once.
    final class Line {
      fileprivate let origin: String
      fileprivate var active = 0
      /// The number of places while a connection serves one call at a time.
      fileprivate let connections: Int
      fileprivate var slots: Int
      // This keeps its calls alive, so that another call cannot get the identity of one that left.
      fileprivate var calls: ArraySlice<EngineCall> = []
      fileprivate var gone = 0
      private let widened: Widened

      fileprivate init(_ origin: String, slots: Int, _ widened: Widened) {
        self.origin = origin
        connections = slots
        self.slots = slots
        self.widened = widened
      }

      fileprivate var isEmpty: Bool { active == 0 && calls.count == gone }

      /// Notes that one connection to the origin serves many calls.
      ///
      /// It may run inside libcurl. The loop starts the calls afterwards.
      func noteMultiplexing() {
        let most = max(connections, CurlConnectionQueue.multiplexedSlots)
        guard slots != most else { return }
        slots = most
        if !calls.isEmpty { widened.lines.append(self) }
      }

      /// Whether another call may begin.
      fileprivate func hasPlace(for job: CurlJob) -> Bool {
        active < slots + (job.request.isUrgent ? CurlConnectionQueue.keptSlots : 0)
      }
    }

    /// The lines with new places for calls that wait.
    fileprivate final class Widened {
      var lines: [Line] = []
    }

    private let slots: Int
    private let slotsOfOrigin: ((String) -> Int)?
    private let widened = Widened()
    private var lines: [String: Line] = [:]
    private var waiting: [ObjectIdentifier: (job: CurlJob, line: Line)] = [:]

    /// Whether no call may begin at present.
    var isHeld = false

    /// A lower bound of the waiting calls' time limits, or nil if none has a limit.
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
    init(slots: Int, of slotsOfOrigin: ((String) -> Int)? = nil) {
      self.slots = slots
      self.slotsOfOrigin = slotsOfOrigin
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
        if let deadline = job.deadline {
          nextDeadline = nextDeadline.map { min($0, deadline) } ?? deadline
        }
        return nil
      }
      line.active += 1
      return line
    }

    private func isUrgent(_ call: EngineCall) -> Bool {
      waiting[ObjectIdentifier(call)]?.job.request.isUrgent == true
    }

    private func line(of origin: String) -> Line {
      if let line = lines[origin] { return line }
      let line = Line(origin, slots: slotsOfOrigin?(origin) ?? slots, widened)
      lines[origin] = line
      return line
    }

    /// Notes the end of a call that had begun.
    func leave(_ line: Line) {
      line.active -= 1
      guard line.isEmpty else { return }
      line.calls = []
      line.gone = 0
      // The server may use another version of HTTP with the next call.
      line.slots = line.connections
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
        line.active += 1
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
          nextDeadline = nextDeadline.map { min($0, deadline) } ?? deadline
        }
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
