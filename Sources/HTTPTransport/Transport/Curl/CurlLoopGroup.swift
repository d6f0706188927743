#if os(Linux)
  import Dispatch
  import HTTPWire
  import Synchronization

  /// An engine of several loops, which share the calls.
  ///
  /// The loops divide the connections to a host, and have one line of calls for each origin. A call
  /// begins at the first loop that is not busy and has a place for it. It waits only while no loop
  /// has one, and then begins at the loop whose place comes free first. A loop's threads begin with
  /// its first call.
  final class CurlLoopGroup: HTTPEngine {
    let loops: CurlLoops

    /// - Throws: `.engineUnavailable` if there is no usable libcurl.
    init(count: Int, configuration: CurlConfiguration) throws(TransportError) {
      let share = ConnectionShare(
        loops: count, connections: configuration.maxConnectionsPerHost)
      var own = configuration
      own.maxConnectionsPerHost = share.most
      own.maxKeptConnections = max(1, configuration.maxKeptConnections / share.loops)
      loops = try CurlLoops(share, configuration: own)
    }

    deinit { loops.close {} }

    func start(
      _ request: EngineRequest,
      completion: @escaping @Sendable (Result<EngineResponse, TransportError>) -> Void
    ) -> EngineCall {
      let call = EngineCall(completion: completion) { [loops] call in
        loops.post(.cancel(call), to: call.loop.load(ordering: .relaxed))
      }
      if !enter(request, call) {
        DispatchQueue.global().async { call.complete(.failure(.engineClosed)) }
      }
      return call
    }

    /// Checks the request and takes its place on this thread, where that delays no other call.
    ///
    /// Returns false if the engine is closed.
    private func enter(_ request: EngineRequest, _ call: EngineCall) -> Bool {
      let near = loops.ofThisThread
      do throws(TransportError) {
        let job = try CurlJob(
          request, call, begin: .now, library: loops.commandQueues[0].library)
        switch loops.connectionQueue.enter(job, near: near) {
        case .begins(let line):
          if loops.post(.begin(job, line), to: line.loop) { return true }
          loops.connectionQueue.leave(line)
          return false
        case .waits(let loop):
          if let loop { loops.post(.deliver, to: loop) }
          return true
        case .closed: return false
        }
      } catch {
        return loops.post(.refuse(call, error), to: near ?? 0)
      }
    }

    var sendsBodiesAsTheyCome: Bool { true }

    func shutdown(whenStopped: @escaping @Sendable () -> Void) {
      loops.close(whenStopped: whenStopped)
    }
  }
#endif
