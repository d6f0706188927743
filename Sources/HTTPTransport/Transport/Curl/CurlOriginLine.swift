#if os(Linux)
  /// The line of calls to one origin, with the places that each loop has for them.
  ///
  /// Only `CurlConnectionQueue` uses it, with its lock held.
  final class CurlOriginLine {
    /// The places at one loop.
    struct Places {
      /// Their number while a connection serves one call at a time.
      fileprivate let connections: Int
      fileprivate(set) var slots: Int
      fileprivate(set) var active = 0
      var first: FirstConnection

      fileprivate init(_ connections: Int, _ first: FirstConnection) {
        self.connections = connections
        slots = connections
        self.first = first
      }
    }

    /// The connection from which the other calls learn whether they can share it.
    enum FirstConnection: Equatable {
      case due
      /// A call makes it. Others wait for it, if there are any, until this time at most.
      case awaited(until: ContinuousClock.Instant?)
      case over

      var isAwaited: Bool { if case .awaited = self { true } else { false } }
    }

    let origin: String
    let number: Int
    /// The loop that takes the calls as long as it is not busy.
    let home: Int
    var places: [Places]
    // This keeps its calls alive, so that another call cannot get the identity of one that left.
    var calls: ArraySlice<EngineCall> = []
    var gone = 0
    private(set) var active = 0
    private let mayBeShared: Bool
    /// Whether the last connection served one call at a time.
    private var servesOne = false
    /// Whether a connection has told the version of HTTP, since the line was empty.
    private var knowsProtocol = false

    init(
      _ origin: String, number: Int, home: Int, mayBeShared: Bool, connections: some Sequence<Int>
    ) {
      self.origin = origin
      self.number = number
      self.home = home
      self.mayBeShared = mayBeShared
      places = connections.map { Places($0, mayBeShared ? .due : .over) }
    }

    var isEmpty: Bool { active == 0 && !hasWaiting }

    var hasWaiting: Bool { calls.count != gone }

    /// Whether a call would wait for another one's connection.
    var awaitsConnection: Bool { places.contains { $0.first.isAwaited } }

    /// Whether a call may take one of the loop's places.
    func hasPlace(for job: CurlJob, at loop: Int) -> Bool {
      guard places[loop].active < places[loop].slots else { return false }
      guard mayBeShared, !job.request.isUrgent else { return true }
      // Until the protocol is known, the calls of all loops wait for the one connection.
      return !places[loop].first.isAwaited && (knowsProtocol || !awaitsConnection)
    }

    /// Whether an urgent call may take one of the places that are kept, over all loops.
    func hasKeptPlace(of kept: Int) -> Bool {
      places.reduce(0) { $0 + max(0, $1.active - $1.slots) } < kept
    }

    func begin(_ job: CurlJob, at loop: Int) {
      active += 1
      places[loop].active += 1
      if places[loop].first == .due, job.mayShare {
        places[loop].first = .awaited(until: nil)
      }
    }

    /// Notes the end of a call that had begun.
    ///
    /// Returns true if it was the one that makes the first connection; the others make theirs.
    func leave(_ loop: Int) -> Bool {
      active -= 1
      places[loop].active -= 1
      let wasAwaited = places[loop].first.isAwaited
      if wasAwaited { noteNoConnection() }
      if places[loop].active == 0, !hasWaiting { renew(loop) }
      if isEmpty {
        calls = []
        gone = 0
        knowsProtocol = false
      }
      return wasAwaited
    }

    /// Begins anew at a loop when its last call has left.
    ///
    /// The server may use another version of HTTP with the next call. But where a connection
    /// served one call at a time, no call waits for another one's again.
    private func renew(_ loop: Int) {
      places[loop].slots = places[loop].connections
      places[loop].first = mayBeShared && !servesOne ? .due : .over
    }

    /// Notes that a loop has a connection, which serves many calls or one at a time.
    ///
    /// Returns whether there may be more places for calls than before.
    func noteConnection(servesMany: Bool, at loop: Int) -> Bool {
      let most =
        servesMany
        ? max(places[loop].connections, CurlConnectionQueue.multiplexedSlots)
        : places[loop].slots
      servesOne = !servesMany
      guard places[loop].slots != most || places[loop].first != .over || !knowsProtocol else {
        return false
      }
      knowsProtocol = true
      places[loop].slots = most
      places[loop].first = .over
      return true
    }

    /// Ends the waits for first connections at all loops, although there is none.
    func noteNoConnection() {
      for loop in places.indices { places[loop].first = .over }
    }

    /// Begins the time of the first connections, if calls wait for them.
    func limitWait(_ patience: Duration) -> ContinuousClock.Instant? {
      guard !calls.isEmpty else { return nil }
      var end: ContinuousClock.Instant?
      for loop in places.indices where places[loop].first == .awaited(until: nil) {
        let until = end ?? .now + patience
        places[loop].first = .awaited(until: until)
        end = until
      }
      return end
    }

    /// The times until which calls wait for first connections.
    var ends: [ContinuousClock.Instant] {
      places.compactMap { if case .awaited(let end?) = $0.first { end } else { nil } }
    }
  }
#endif
