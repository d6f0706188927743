#if os(Linux)
  /// Who may use a connection now and who waits: for each origin a line, first come, first served.
  ///
  /// libcurl has a queue of its own for calls beyond the connections of a host, but walks all of it
  /// at each turn, and counts the time to connect while they wait.
  struct CurlWaitingRoom {
    struct Entry {
      var request: EngineRequest
      var call: EngineCall
      var begin: ContinuousClock.Instant
      var origin: String

      init(_ request: EngineRequest, _ call: EngineCall, _ begin: ContinuousClock.Instant) {
        self.request = request
        self.call = call
        self.begin = begin
        origin = CurlWaitingRoom.origin(of: request.url)
      }

      var deadline: ContinuousClock.Instant? { request.waitLimit.map { begin + $0 } }
    }

    private struct Line {
      var active = 0
      var slots: Int
      // Keeps its calls alive, so that the identity of one that left is not given to another.
      var calls: ArraySlice<EngineCall> = []
      var gone = 0

      /// Takes a free place, or queues the call and gives false.
      mutating func enter(_ call: EngineCall) -> Bool {
        guard active < slots, calls.count == gone else {
          calls.append(call)
          return false
        }
        active += 1
        return true
      }
    }

    private let slots: Int
    private var lines: [String: Line] = [:]
    private var waiting: [ObjectIdentifier: Entry] = [:]

    /// A time before which no waiting call's time is over; nil if none has a limit.
    private(set) var nextDeadline: ContinuousClock.Instant?

    /// Streams at a time on the HTTP/2 connections to one origin; servers allow about as many.
    private static let multiplexedSlots = 100

    init(slots: Int) {
      self.slots = slots
    }

    /// True if the call may begin at once; else it waits in line.
    mutating func enter(_ entry: Entry) -> Bool {
      let slots = slots
      guard lines[entry.origin, default: Line(slots: slots)].enter(entry.call) else {
        waiting[ObjectIdentifier(entry.call)] = entry
        if let deadline = entry.deadline {
          nextDeadline = nextDeadline.map { min($0, deadline) } ?? deadline
        }
        return false
      }
      return true
    }

    /// Notes that a call that had begun is over.
    mutating func leave(_ origin: String) {
      guard var line = lines[origin] else { return }
      line.active -= 1
      lines[origin] = line.active == 0 && line.calls.count == line.gone ? nil : line
    }

    /// Notes that one connection to the origin serves many calls.
    mutating func noteMultiplexing(_ origin: String) {
      let slots = max(slots, Self.multiplexedSlots)
      lines[origin]?.slots = slots
    }

    /// The next call of the origin that may begin, now counted as begun.
    mutating func next(_ origin: String) -> Entry? {
      while let line = lines[origin], line.active < line.slots {
        guard let call = lines[origin]?.calls.popFirst() else { return nil }
        guard let entry = waiting.removeValue(forKey: ObjectIdentifier(call)) else {
          lines[origin]?.gone -= 1
          continue
        }
        lines[origin]?.active += 1
        return entry
      }
      return nil
    }

    /// Takes a call out of its line; nil if it does not wait.
    @discardableResult
    mutating func remove(_ call: EngineCall) -> Entry? {
      guard let entry = waiting.removeValue(forKey: ObjectIdentifier(call)) else { return nil }
      guard var line = lines[entry.origin] else { return entry }
      line.gone += 1
      if line.gone > 64, line.gone > line.calls.count / 2 {
        line.calls = line.calls.filter { waiting[ObjectIdentifier($0)] != nil }[...]
        line.gone = 0
      }
      lines[entry.origin] = line
      return entry
    }

    /// Takes out the calls whose time is over.
    mutating func removeExpired(_ now: ContinuousClock.Instant) -> [EngineCall] {
      guard let due = nextDeadline, due <= now else { return [] }
      var expired: [EngineCall] = []
      nextDeadline = nil
      for entry in waiting.values {
        guard let deadline = entry.deadline else { continue }
        if deadline <= now {
          expired.append(entry.call)
        } else {
          nextDeadline = nextDeadline.map { min($0, deadline) } ?? deadline
        }
      }
      for call in expired { remove(call) }
      return expired
    }

    /// Empties the room.
    mutating func removeAll() -> [EngineCall] {
      defer { self = CurlWaitingRoom(slots: slots) }
      return waiting.values.map(\.call)
    }

    /// Scheme, host and port as they are spelled.
    ///
    /// Two spellings have two lines; libcurl still holds them to one limit.
    private static func origin(of url: String) -> String {
      let bytes = url.utf8
      guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return url }
      let authority = bytes[colon...].dropFirst(3)
      let end = authority.firstIndex {
        $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#")
      }
      return String(url[..<(end ?? bytes.endIndex)])
    }
  }
#endif
