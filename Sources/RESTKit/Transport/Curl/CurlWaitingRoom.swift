#if os(Linux)
  /// Who may use a connection now and who waits: for each origin a line, first come, first served.
  ///
  /// libcurl has a queue of its own for calls beyond the connections of a host, but walks all of it
  /// at each turn, and counts the time to connect while they wait.
  final class CurlWaitingRoom {
    /// The calls to one origin.
    ///
    /// A call that has begun keeps its line, so that it is looked up once.
    final class Line {
      fileprivate let origin: String
      fileprivate var active = 0
      /// Those that it has while a connection serves one call at a time.
      fileprivate let connections: Int
      fileprivate var slots: Int
      // Keeps its calls alive, so that the identity of one that left is not given to another.
      fileprivate var calls: ArraySlice<EngineCall> = []
      fileprivate var gone = 0

      fileprivate init(_ origin: String, slots: Int) {
        self.origin = origin
        connections = slots
        self.slots = slots
      }

      fileprivate var isEmpty: Bool { active == 0 && calls.count == gone }
    }

    private let slots: Int
    private let slotsOfOrigin: ((String) -> Int)?
    private var lines: [String: Line] = [:]
    private var waiting: [ObjectIdentifier: (job: CurlJob, line: Line)] = [:]

    /// Whether nobody begins for now.
    var isHeld = false

    /// A time before which no waiting call's time is over; nil if none has a limit.
    private(set) var nextDeadline: ContinuousClock.Instant?

    /// Streams at a time on the HTTP/2 connections to one origin; servers allow about as many.
    private static let multiplexedSlots = 100
    /// Lines kept though nobody is in them: the next call to the origin is likely.
    private static let maxEmptyLines = 64

    /// - Parameters:
    ///   - slots: The connections to an origin.
    ///   - slotsOfOrigin: Those to one, where they differ.
    init(slots: Int, of slotsOfOrigin: ((String) -> Int)? = nil) {
      self.slots = slots
      self.slotsOfOrigin = slotsOfOrigin
    }

    /// The line of a call that may begin at once; nil where it waits.
    func enter(_ job: CurlJob) -> Line? {
      let line = line(of: job.origin)
      guard !isHeld, line.active < line.slots, line.calls.count == line.gone else {
        line.calls.append(job.call)
        waiting[ObjectIdentifier(job.call)] = (job, line)
        if let deadline = job.deadline {
          nextDeadline = nextDeadline.map { min($0, deadline) } ?? deadline
        }
        return nil
      }
      line.active += 1
      return line
    }

    private func line(of origin: String) -> Line {
      if let line = lines[origin] { return line }
      let line = Line(origin, slots: slotsOfOrigin?(origin) ?? slots)
      lines[origin] = line
      return line
    }

    /// Notes that a call that had begun is over.
    func leave(_ line: Line) {
      line.active -= 1
      guard line.isEmpty else { return }
      line.calls = []
      line.gone = 0
      // The server may speak another version of HTTP when it is called again.
      line.slots = line.connections
      if lines.count > Self.maxEmptyLines { lines[line.origin] = nil }
    }

    /// Notes that one connection to the origin serves many calls.
    func noteMultiplexing(_ line: Line) {
      line.slots = max(line.connections, Self.multiplexedSlots)
    }

    /// The next call of the line that may begin, now counted as begun.
    func next(_ line: Line) -> CurlJob? {
      while !isHeld, line.active < line.slots, let call = line.calls.popFirst() {
        guard let (job, _) = waiting.removeValue(forKey: ObjectIdentifier(call)) else {
          line.gone -= 1
          continue
        }
        line.active += 1
        return job
      }
      return nil
    }

    /// The lines in which somebody waits.
    var waitingLines: [Line] { lines.values.filter { !$0.calls.isEmpty } }

    /// Takes a call out of its line, if it waits.
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

    /// Takes out the calls whose time is over.
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

    /// Empties the room.
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
