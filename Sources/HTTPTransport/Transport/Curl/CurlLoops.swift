#if os(Linux)
  import Dispatch
  import HTTPWire
  import Synchronization

  /// The loops of an engine, with their common queue for connections.
  ///
  /// A loop's first thread begins with its first command.
  final class CurlLoops: Sendable {
    private final class Beginning: Sendable {
      let isOver = Atomic(false)
    }

    let commandQueues: [CurlCommandQueue]
    let connectionQueue: CurlConnectionQueue
    private let configuration: CurlConfiguration
    private let beginnings: [Beginning]

    /// - Parameter configuration: The configuration of each loop.
    /// - Throws: `.engineUnavailable` if there is no usable libcurl.
    init(_ share: ConnectionShare, configuration: CurlConfiguration) throws(TransportError) {
      let library = try CurlLibrary.load()
      var commandQueues: [CurlCommandQueue] = []
      for _ in 0..<share.loops { commandQueues.append(try .make(library)) }
      self.commandQueues = commandQueues
      self.configuration = configuration
      connectionQueue = CurlConnectionQueue(share, patience: configuration.patience(library))
      beginnings = commandQueues.map { _ in Beginning() }
    }

    /// The number of loops that have begun.
    var begun: Int { beginnings.count { $0.isOver.load(ordering: .relaxed) } }

    /// The loop of the calling thread, or nil if it belongs to none.
    var ofThisThread: Int? { commandQueues.firstIndex(where: \.isOfThisThread) }

    /// Gives a command to a loop.
    ///
    /// Returns false if the loop is closed.
    @discardableResult
    func post(_ command: CurlCommandQueue.Command, to loop: Int) -> Bool {
      begin(loop)
      return commandQueues[loop].post(command)
    }

    /// Starts a loop's first thread, unless it has begun.
    func begin(_ loop: Int) {
      guard !beginnings[loop].isOver.load(ordering: .relaxed), takeBeginning(of: loop) else {
        return
      }
      LeaderFollowerPool.startThread { [self] in
        CurlLoop(
          commandQueue: commandQueues[loop], configuration: configuration,
          peers: CurlPeers(self, loop)
        ).run()
      }
    }

    private func takeBeginning(of loop: Int) -> Bool {
      !beginnings[loop].isOver.exchange(true, ordering: .relaxed)
    }

    /// Ends every call and all loops.
    func close(whenStopped: @escaping @Sendable () -> Void) {
      connectionQueue.close()
      let left = Countdown(commandQueues.count)
      var leads = false
      for (loop, queue) in commandQueues.enumerated() {
        queue.close { if left.isOver() { whenStopped() } }
        // It takes no command any more, so no thread begins after this one has been here.
        guard takeBeginning(of: loop) else {
          leads = true
          continue
        }
        queue.multi.close()
        DispatchQueue.global().async { _ = queue.noteStopped() }
      }
      // A call that waits for one whose loop was about to begin has no thread that would end it.
      guard !leads else { return }
      for job in connectionQueue.removeAll() {
        DispatchQueue.global().async { job.call.complete(.failure(.engineClosed)) }
      }
    }

    private final class Countdown: Sendable {
      private let left: Atomic<Int>

      init(_ count: Int) { left = Atomic(count) }

      /// Returns true for the last caller.
      func isOver() -> Bool { left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 }
    }
  }

  /// The other loops of an engine, as one of them sees them.
  struct CurlPeers: Sendable {
    let connectionQueue: CurlConnectionQueue
    /// The loop's own number.
    let loop: Int
    private let loops: CurlLoops?

    init(_ loops: CurlLoops, _ loop: Int) {
      connectionQueue = loops.connectionQueue
      self.loop = loop
      self.loops = loops
    }

    /// A loop without others.
    init(_ connectionQueue: CurlConnectionQueue) {
      self.connectionQueue = connectionQueue
      loop = 0
      loops = nil
    }

    /// Gives a call to the loop that has its place.
    ///
    /// Returns false if that loop is closed.
    func begin(_ job: CurlJob, in line: CurlConnectionQueue.Line) -> Bool {
      loops?.post(.begin(job, line), to: line.loop) == true
    }

    /// Passes the cancel of a call on, if another loop has the call.
    func cancel(_ call: EngineCall) {
      let other = call.loop.load(ordering: .relaxed)
      if other != loop { loops?.post(.cancel(call), to: other) }
    }
  }
#endif
