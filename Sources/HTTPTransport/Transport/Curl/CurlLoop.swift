#if os(Linux)
  internal import CCurl
  import Foundation
  import HTTPWire

  /// The main loop of one engine: it runs commands, drives libcurl and makes deliveries.
  ///
  ///       any thread: start, cancel, resume
  ///            │ command              ▲ wakes the leader, if it sleeps
  ///     ┌──────▼──────────────────────┴───────────────────────────────────────────────┐
  ///     │ CurlCommandQueue                                                            │
  ///     └──────┬──────────────────────────────────────────────────────────────────────┘
  ///            │ one thread at a time, the leader:
  ///     ┌──────▼─────┐    ┌─────────────────────┐    ┌────────────────────────────────┐
  ///     │ obey,      ├───▶│ CurlConnectionQueue ├───▶│ perform: CurlMulti (libcurl),  │◀─▶ sockets
  ///     │ expire     │    │ by origin           │    │ a CurlTransfer for each call   │
  ///     └────────────┘    └─────────────────────┘    └──────┬─────────────────────────┘
  ///                                                         │ a whole response, an event,
  ///                                                         │ an end
  ///     ┌────────────┐    ┌─────────────────────┐    ┌──────▼─────────────────────────┐
  ///     │ look: poll │◀───┤ deliver,            │◀───┤ CurlDeliveryQueue; a stream's  │
  ///     │ or sleep   │    │ one by one          │    │ events are in its EventBuffer  │
  ///     └────────────┘    └──────┬──────────────┘    └────────────────────────────────┘
  ///                              │ user code, in which the leader may lose the lead:
  ///     ┌────────────────────────▼────────────────────────────────────────────────────┐
  ///     │ LeaderFollowerPool: a watcher that sees one delivery twice takes the lead   │
  ///     └─────────────────────────────────────────────────────────────────────────────┘
  ///
  /// It is `@unchecked` because only one thread at a time uses it, the leader. `LeaderFollowerPool`
  /// determines the leader with an atomic word. Each leader releases the word, and the next one
  /// acquires it.
  final class CurlLoop: @unchecked Sendable {
    private let commandQueue: CurlCommandQueue
    private let library: CurlLibrary
    private let multi: CurlMulti
    private let configuration: CurlConfiguration
    private var connectionQueue: CurlConnectionQueue { peers.connectionQueue }
    private let peers: CurlPeers
    private let connections = CurlConnections()
    private let pool: LeaderFollowerPool
    private let deliveryQueue = CurlDeliveryQueue()
    private var running = CurlRunningTransfers()
    private var idle: [CurlTransfer] = []
    private var commands: [CurlCommandQueue.Command] = []
    private var spin = AdaptiveSpin()
    private var isStopping = false
    /// Whether no call may begin at present.
    private var isHeld = false
    /// The turns since the last look at the sockets.
    private var turns = 0

    /// The maximum number of easy handles kept for reuse; one takes about 10 KB.
    private static let maxIdle = 64

    init(
      commandQueue: CurlCommandQueue, configuration: CurlConfiguration, peers: CurlPeers? = nil
    ) {
      self.commandQueue = commandQueue
      self.library = commandQueue.library
      self.multi = commandQueue.multi
      self.configuration = configuration
      self.peers = peers ?? CurlPeers(configuration.connectionQueue(library))
      pool = LeaderFollowerPool(limit: configuration.deliveryThreads, warn: configuration.warn)
    }

    /// Runs the engine until its end, on the calling thread and on those that take over from it.
    func run() {
      ccurl_block_sigpipe()
      let most = max(1, configuration.maxConnectionsPerHost) + CurlConnectionQueue.keptSlots
      multi.set(CCURLMOPT_MAX_HOST_CONNECTIONS, most)
      multi.set(CCURLMOPT_MAXCONNECTS, configuration.maxKeptConnections)
      pool.serve(
        LeaderFollowerPool.Duty(
          lead: { [self] in lead() }, welcome: { [commandQueue] in commandQueue.post(.deliver) }))
    }

    /// Leads the engine.
    ///
    /// Returns false once another thread leads, and true at the end.
    ///
    /// The next turn continues any unfinished work, on whichever thread it runs.
    private func lead() -> Bool {
      commandQueue.enter()
      while commandQueue.take(into: &commands) {
        if !commands.isEmpty { spin.noteWork() }
        obey()
        expire()
        guard deliver() else { return false }
        perform()
        guard deliver() else { return false }
        look()
      }
      return stop()
    }

    /// Checks which sockets are ready.
    ///
    /// Sleeps until one is ready if there is nothing to do.
    private func look() {
      // A response wakes a task, which makes the next call: the sockets are seen behind that.
      if commandQueue.hasCommandsOfTasks, turns < Self.mostTurns { return turns += 1 }
      turns = 0
      var length: Int32 = 0
      if spin.looksAgain() {
        // The task that waits for the response, or the server, may need this core.
        sched_yield()
      } else if commandQueue.prepareSleep() {
        length = running.sleepLength(beside: connectionQueue.nextDeadline)
      }
      // The wait fails without memory or descriptors; a delay is better than a spinning thread.
      if !multi.wait(milliseconds: length) { usleep(1_000) }
    }

    private func obey() {
      for command in commands {
        switch command {
        case .start(let job): enter(job)
        case .begin(let job, let line): begin(job, in: line)
        case .refuse(let call, let fault): deliveryQueue.end(call, nil, .failure(fault))
        case .cancel(let call): cancel(call)
        case .resumeReceiving(let call): goOn(call) { $0.resume() }
        case .told(let call): goOn(call) { $0.endTelling() }
        case .resumeSending(let call): resume(call) { $0.resumeSending() }
        case .run(let job): isStopping ? job.handOver() : deliveryQueue.run(job)
        case .deliver: break
        }
      }
      commands.removeAll(keepingCapacity: true)
    }

    private func enter(_ job: CurlJob) {
      guard job.call.isPending else { return deliveryQueue.letGo(job) }
      guard !isStopping else { return deliveryQueue.end(job.call, job, .failure(.engineClosed)) }
      if case .begins(let line) = connectionQueue.enter(job) { start(job, in: line) }
    }

    private func begin(_ job: CurlJob, in line: CurlConnectionQueue.Line) {
      guard job.call.isPending, !isStopping else {
        enter(job)
        return leave(line)
      }
      // Others may wait for the place by now.
      if !start(job, in: line) { startNext(in: line) }
    }

    /// Starts a call that has a place.
    ///
    /// Gives the place back, and returns false, if that fails.
    @discardableResult
    private func start(_ job: CurlJob, in line: CurlConnectionQueue.Line) -> Bool {
      spin.noteCall(isAlone: running.isEmpty)
      do throws(TransportError) {
        let transfer =
          try idle.isEmpty
          ? CurlTransfer(library, configuration, connections) : idle.removeLast()
        let feed = job.request.events.map { events in
          CurlFeed(job.call, events, deliveryQueue: deliveryQueue) {
            [commandQueue, call = job.call] in
            commandQueue.post(.resumeReceiving(call))
          }
        }
        try transfer.prepare(job, in: line, feed, deliveryQueue) {
          [commandQueue, call = job.call] in
          commandQueue.post(.resumeSending(call))
        }
        let code = multi.add(transfer.easy, isSecure: job.isSecure)
        guard code == 0 else {
          transfer.clear()
          throw .unavailable(library.multiText(for: code))
        }
        running.enter(transfer, of: job.call)
        return true
      } catch {
        fail(job, in: line, error)
        return false
      }
    }

    /// Begins the calls of a line for which there are places, here or at other loops.
    private func startNext(in line: CurlConnectionQueue.Line) {
      while let (next, line) = connectionQueue.next(line) {
        guard next.call.isPending, let job = next.beginning() else {
          fail(next, in: line, .heldBack)
          continue
        }
        if line.loop == peers.loop {
          start(job, in: line)
        } else if !peers.begin(job, in: line) {
          fail(job, in: line, .engineClosed)
        }
      }
    }

    private func fail(
      _ job: CurlJob, in line: CurlConnectionQueue.Line, _ fault: TransportError
    ) {
      connectionQueue.leave(line)
      deliveryQueue.end(job.call, job, .failure(fault))
    }

    private func leave(_ line: CurlConnectionQueue.Line) {
      connectionQueue.leave(line)
      startNext(in: line)
    }

    private func cancel(_ call: EngineCall) {
      guard let transfer = running[call] else {
        let job = connectionQueue.remove(call)
        return job.map { deliveryQueue.letGo($0) } ?? peers.cancel(call)
      }
      if let dropped = transfer.job?.request.events?.close(), !dropped.isEmpty {
        deliveryQueue.letGo(dropped)
      }
      if running.neighbors(of: transfer).isEmpty, transfer.linger() {
        return running.noteLimit(of: transfer, call)
      }
      // During a transfer, this closes the connection or resets the HTTP/2 stream.
      if let job = end(transfer) { deliveryQueue.letGo(job) }
    }

    /// Lets the response of a call in pieces continue, unless it is still held.
    private func goOn(_ call: EngineCall, _ change: (CurlFeed) -> Void) {
      guard let feed = self.feed(of: call) else { return }
      change(feed)
      if !feed.isHeld { resume(call) { $0.resumeReceiving() } }
    }

    private func feed(of call: EngineCall) -> CurlFeed? { running[call]?.response.feed }

    private func resume(_ call: EngineCall, _ resume: (CurlTransfer) -> Int32) {
      guard let transfer = running[call] else { return }
      let code = resume(transfer)
      if code != 0 { finish(transfer, code) }
    }

    private func perform() {
      // Ready sockets come first, and calls that take the places of ended ones are sent. The server
      // thus has work during the deliveries, and several deliveries follow each other.
      for _ in 0..<Self.mostRounds {
        let code = multi.act()
        running.tellChunks()
        while let (easy, result) = multi.nextFinished() {
          spin.noteWork()
          finish(easy, result)
        }
        for line in connectionQueue.takeWidened(at: peers.loop) { startNext(in: line) }
        if code != 0 { failAll(detail: library.multiText(for: code)) }
        guard !deliveryQueue.isEmpty, !running.isEmpty, multi.hasMore else { return }
      }
    }

    /// The number of turns without a look at the sockets, which a task that is always ready takes.
    private static let mostTurns = 4
    /// The number of rounds before deliveries: as many as a transport has connections to a host.
    private static let mostRounds = 6

    private func finish(_ easy: UnsafeMutableRawPointer, _ code: Int32) {
      guard let context = ccurl_get_pointer(easy, CCURLINFO_PRIVATE) else { return }
      finish(Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue(), code)
    }

    private func finish(_ transfer: CurlTransfer, _ code: Int32) {
      if transfer.canBeginAnew(after: code) { return beginAnew(transfer) }
      let result = transfer.result(code)
      guard let job = end(transfer, after: code) else { return }
      deliveryQueue.end(job.call, job, result)
    }

    // MARK: What users are told

    /// Makes the pending deliveries.
    ///
    /// Returns false if another thread leads by now.
    private func deliver() -> Bool {
      while !deliveryQueue.isEmpty || letCallsBegin() {
        // At shutdown, a delivery can delay only the shutdown itself.
        guard pool.isWatched() || isStopping else {
          // Otherwise the number of waiting responses would grow without limit.
          isHeld = true
          connectionQueue.hold(true, peers.loop)
          return true
        }
        guard let delivery = deliveryQueue.next() else { continue }
        let pieces = delivery.callInPieces
        if let (_, call) = pieces { feed(of: call)?.beginTelling() }
        let number = pool.begin()
        let hasMore = (consume delivery).run()
        guard pool.end(number) else {
          if let (events, call) = pieces {
            // Its subscriber may take long again, and delays nobody here.
            events.deliver()
            commandQueue.post(.told(call))
          }
          return false
        }
        if let (events, call) = pieces {
          if hasMore { deliveryQueue.tell(events, of: call) }
          goOn(call) { $0.endTelling() }
        }
      }
      return true
    }

    /// Lets held-back calls begin again, and returns whether there is something to deliver.
    private func letCallsBegin() -> Bool {
      guard isHeld else { return false }
      isHeld = false
      connectionQueue.hold(false, peers.loop)
      for line in connectionQueue.waitingLines(at: peers.loop) { startNext(in: line) }
      return !deliveryQueue.isEmpty
    }

    /// Continues a call over a new connection.
    private func beginAnew(_ transfer: CurlTransfer) {
      multi.remove(transfer.easy)
      do throws(TransportError) {
        try transfer.beginAnew()
        let code = multi.add(transfer.easy, isSecure: transfer.isSecure)
        guard code == 0 else { throw .unavailable(library.multiText(for: code)) }
      } catch {
        if let job = end(transfer) { deliveryQueue.end(job.call, job, .failure(error)) }
      }
    }

    /// Removes a transfer from libcurl, gives its place to a waiting call, and returns its job.
    ///
    /// - Parameter code: libcurl's code if it has finished the transfer.
    private func end(_ transfer: CurlTransfer, after code: Int32? = nil) -> CurlJob? {
      let neighbors = code == 0 ? [] : running.neighbors(of: transfer)
      if code == nil { transfer.abandon() }
      multi.remove(transfer.easy)
      let (job, line) = (transfer.job, transfer.waitingLine)
      let isReusable = code.map(transfer.isReusable) ?? false
      transfer.clear()
      if isReusable, idle.count < Self.maxIdle { idle.append(transfer) }
      guard let job, let line else { return nil }
      running.remove(job.call)
      leave(line)
      if let (stirred, code) = running.stir(neighbors), code != 0 { finish(stirred, code) }
      return job
    }

    /// Fails the calls whose time limit passed while they waited for a connection or for the
    /// server.
    private func expire() {
      guard let due = running.nextDeadline(beside: connectionQueue.nextDeadline) else { return }
      let now = ContinuousClock.now
      guard due <= now else { return }
      for job in connectionQueue.removeExpired(now) {
        let reason = connectionQueue.reasonOfWait(for: job.origin, at: peers.loop)
        deliveryQueue.end(job.call, job, .failure(.beforeSending(.timedOut, reason)))
      }
      connectionQueue.endWaits(now, at: peers.loop)
      for transfer in running.expired(now) {
        let result = transfer.resultAtLimit()
        guard let job = end(transfer) else { continue }
        deliveryQueue.end(job.call, job, result)
      }
    }

    private func failAll(detail: String) {
      let waiting = connectionQueue.removeAll().map { (job: $0, mayHaveBeenProcessed: false) }
      let ended = running.transfers.compactMap { transfer in
        let mayHaveBeenProcessed = transfer.mayHaveBeenProcessed
        return end(transfer).map { (job: $0, mayHaveBeenProcessed: mayHaveBeenProcessed) }
      }
      for (job, mayHaveBeenProcessed) in ended + waiting {
        deliveryQueue.end(
          job.call, job,
          .failure(
            TransportError(
              kind: .engineUnavailable, detail: detail,
              mayHaveBeenProcessed: mayHaveBeenProcessed)))
      }
    }

    /// Ends all calls and libcurl.
    ///
    /// Returns false if another thread leads by now.
    ///
    /// It does not wait for a subscriber that is taking an event, whose thread delivers the rest,
    /// nor for one that requests nothing.
    private func stop() -> Bool {
      repeat {
        let isFirst = !isStopping
        isStopping = true
        deliveryQueue.handOverJobs()
        obey()
        if isFirst {
          failAll(detail: TransportError.engineClosed.detail)
          idle = []
          multi.close()
        }
        guard deliver() else { return false }
        _ = commandQueue.take(into: &commands)
      } while !commands.isEmpty || !commandQueue.noteStopped()
      return true
    }
  }
#endif
