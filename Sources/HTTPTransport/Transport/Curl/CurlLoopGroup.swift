#if os(Linux)
  import HTTPWire
  import Synchronization

  /// Several engines that share the calls, distributed by origin.
  ///
  /// Each origin has a home engine, which takes its calls as long as it has a free connection for
  /// them. Further calls go to the engines after it. The engines divide the connections to a host,
  /// so that the limit holds for all of them together. No lock is in the path of a call: atomic
  /// counters do the counting. Origins with the same hash share a row of counters.
  final class CurlLoopGroup: HTTPEngine {
    let engines: [CurlEngine]
    private let share: ConnectionShare
    private let load: CallLoad

    /// - Throws: `.engineUnavailable` if there is no usable libcurl.
    init(count: Int, configuration: CurlConfiguration) throws(TransportError) {
      let share = ConnectionShare(
        engines: count, connections: max(1, configuration.maxConnectionsPerHost))
      var engines: [CurlEngine] = []
      for index in 0..<share.engines {
        var own = configuration
        own.maxConnectionsPerHost = share.most
        own.maxKeptConnections = max(1, configuration.maxKeptConnections / share.engines)
        own.connections = { share.connections(of: index, to: $0) }
        engines.append(try CurlEngine(configuration: own))
      }
      self.engines = engines
      self.share = share
      load = CallLoad(engines: share.engines)
    }

    func start(
      _ request: EngineRequest,
      completion: @escaping @Sendable (Result<EngineResponse, TransportError>) -> Void
    ) -> EngineCall {
      let origin = CurlJob.origin(of: request.url)
      let place = load.take(for: origin, share)
      return engines[place.engine].start(request) { result in
        // The connection is free, however long the completion takes. After a cancel, the release of
        // this closure gives the place back.
        place.giveBack()
        completion(result)
      }
    }

    var sendsBodiesAsTheyCome: Bool { true }

    func shutdown(whenStopped: @escaping @Sendable () -> Void) {
      let left = Countdown(engines.count)
      for engine in engines {
        engine.shutdown { if left.isOver() { whenStopped() } }
      }
    }

    private final class Countdown: Sendable {
      private let left: Atomic<Int>

      init(_ count: Int) { left = Atomic(count) }

      /// Returns true for the last caller.
      func isOver() -> Bool { left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 }
    }
  }

  /// The division of a host's connections among engines.
  struct ConnectionShare: Sendable {
    /// The number of engines, at most the number of connections to one host.
    let engines: Int
    private let total: Int

    init(engines: Int, connections: Int) {
      self.engines = min(max(1, engines), connections)
      total = connections
    }

    /// The maximum number of connections that one engine has to a host.
    var most: Int { (total + engines - 1) / engines }

    func home(of origin: String) -> Int { Self.hash(origin) % engines }

    /// Returns the engine's number of connections to the origin.
    ///
    /// Over all engines, the numbers add up to the limit.
    func connections(of engine: Int, to origin: String) -> Int {
      let distance = (engine - home(of: origin) + engines) % engines
      return total / engines + (distance < total % engines ? 1 : 0)
    }

    /// Returns an FNV-1a hash.
    ///
    /// It is short, and the same in each process, so that a fault is reproducible.
    static func hash(_ origin: String) -> Int {
      var hash: UInt64 = 0xCBF2_9CE4_8422_2325
      for byte in origin.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
      return Int(truncatingIfNeeded: hash >> 1)
    }
  }

  /// The number of running calls of each engine, in rows of origins.
  final class CallLoad: Sendable {
    /// A call's place at an engine, given back with `giveBack()` or with its release.
    final class Place: Sendable {
      let engine: Int
      private let counter: Counter
      private let isTaken = Atomic(true)

      fileprivate init(engine: Int, _ counter: Counter) {
        self.engine = engine
        self.counter = counter
      }

      deinit { giveBack() }

      func giveBack() {
        guard isTaken.exchange(false, ordering: .relaxed) else { return }
        counter.number.subtract(1, ordering: .relaxed)
      }
    }

    fileprivate final class Counter: Sendable {
      let number = Atomic<Int>(0)
    }

    private static let rows = 64

    private let engines: Int
    private let counters: [Counter]

    init(engines: Int) {
      self.engines = engines
      counters = (0..<Self.rows * engines).map { _ in Counter() }
    }

    /// Takes a place at the first engine with a free connection, starting from the origin's home.
    ///
    /// If none has one, it takes the engine with the fewest calls for each of its connections.
    func take(for origin: String, _ share: ConnectionShare) -> Place {
      let row = ConnectionShare.hash(origin) / engines % Self.rows
      let home = share.home(of: origin)
      var best = (engine: home, load: Double.infinity)
      for step in 0..<engines {
        let engine = (home + step) % engines
        let connections = share.connections(of: engine, to: origin)
        let count = counters[row * engines + engine].number.load(ordering: .relaxed)
        if count < connections {
          best.engine = engine
          break
        }
        let load = Double(count) / Double(connections)
        if load < best.load { best = (engine, load) }
      }
      let counter = counters[row * engines + best.engine]
      counter.number.add(1, ordering: .relaxed)
      return Place(engine: best.engine, counter)
    }
  }
#endif
