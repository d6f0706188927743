#if os(Linux)
  internal import CCurl
  import Foundation

  /// What drives one engine: commands, libcurl, and what users are to be told.
  ///
  /// `@unchecked` because one thread at a time uses it, the one that leads. `CurlCrew` says which, by an
  /// atomic word that each leader releases and the next one acquires.
  final class CurlLoop: @unchecked Sendable {
    private let inbox: CurlInbox
    private let library: CurlLibrary
    private let multi: CurlMulti
    private let configuration: CurlConfiguration
    private let room: CurlWaitingRoom
    private let connections = CurlConnections()
    private let crew: CurlCrew
    private let outbox = CurlOutbox()
    private var running: [ObjectIdentifier: CurlTransfer] = [:]
    /// Those whose server may be silent only so long, which libcurl does not time.
    private var timed: [ObjectIdentifier: CurlTransfer] = [:]
    /// Those whose response is told in pieces.
    private var streaming: [ObjectIdentifier: CurlTransfer] = [:]
    /// What calls in pieces are to be told; there till they are told their end.
    private var telling: [ObjectIdentifier: CurlPieces] = [:]
    private var idle: [CurlTransfer] = []
    private var commands: [CurlInbox.Command] = []
    private var spin = AdaptiveSpin()
    private var isStopping = false

    /// Easy handles kept for reuse; one is about 10 KB.
    private static let maxIdle = 64

    init(inbox: CurlInbox, configuration: CurlConfiguration) {
      self.inbox = inbox
      self.library = inbox.library
      self.multi = inbox.multi
      self.configuration = configuration
      room = CurlWaitingRoom(
        slots: max(1, configuration.maxConnectionsPerHost), of: configuration.connections)
      crew = CurlCrew(limit: configuration.deliveryThreads, warn: configuration.warn)
    }

    /// Drives the engine till its end, on the calling thread and on those that take over from it.
    func run() {
      ccurl_block_sigpipe()
      multi.set(CCURLMOPT_MAX_HOST_CONNECTIONS, max(1, configuration.maxConnectionsPerHost))
      multi.set(CCURLMOPT_MAXCONNECTS, configuration.maxKeptConnections)
      crew.serve(
        CurlCrew.Duty(
          lead: { [self] in lead() }, welcome: { [inbox] in inbox.post(.deliver) }))
    }

    /// Leads; false once another thread does, true at the end.
    ///
    /// What one turn leaves undone, the next one does, whichever thread that is on.
    private func lead() -> Bool {
      while inbox.take(into: &commands) {
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

    /// Looks which sockets are ready; sleeps till one is where there is nothing to do.
    private func look() {
      var length: Int32 = 0
      if spin.looksAgain() {
        // The task that waits for the answer, or the server, may have been given this core.
        sched_yield()
      } else if inbox.prepareSleep() {
        length = sleepLength
      }
      // Out of memory or descriptors: better late than a spinning thread.
      if !multi.wait(milliseconds: length) { usleep(1_000) }
    }

    private func obey() {
      for command in commands {
        switch command {
        case .start(let job): enter(job)
        case .refuse(let call, let fault): outbox.end(call, nil, .failure(fault))
        case .cancel(let call): cancel(call)
        case .resumeReceiving(let call): goOn(call) { $0.resume() }
        case .told(let call, let flow): goOn(call) { $0.noteTold(flow) }
        case .resumeSending(let call): resume(call) { $0.resumeSending() }
        case .deliver: break
        }
      }
      commands.removeAll(keepingCapacity: true)
    }

    private func enter(_ job: CurlJob) {
      guard job.call.isPending else { return outbox.letGo(job) }
      guard !isStopping else { return outbox.end(job.call, job, .failure(.engineClosed)) }
      guard let line = room.enter(job) else { return }
      start(job, in: line)
    }

    /// Starts a call that has a place; gives the place back if that fails.
    private func start(_ job: CurlJob, in line: CurlWaitingRoom.Line) {
      spin.noteCall(isAlone: running.isEmpty)
      do throws(TransportError) {
        let transfer = try freshTransfer()
        let pieces = job.request.onEvent.map { CurlPieces(job.call, tell: $0, outbox: outbox) }
        try transfer.prepare(job, in: line, pieces, outbox) { [inbox, call = job.call] in
          inbox.post(.resumeSending(call))
        }
        let code = multi.add(transfer.easy, isSecure: job.isSecure)
        guard code == 0 else {
          transfer.clear()
          throw .unavailable(library.multiText(for: code))
        }
        running[ObjectIdentifier(job.call)] = transfer
        if job.request.idleTimeout != nil { timed[ObjectIdentifier(job.call)] = transfer }
        if let pieces {
          streaming[ObjectIdentifier(job.call)] = transfer
          telling[ObjectIdentifier(job.call)] = pieces
        }
      } catch {
        room.leave(line)
        outbox.end(job.call, job, .failure(error))
      }
    }

    private func startNext(in line: CurlWaitingRoom.Line) {
      while let next = room.next(line) { start(next, in: line) }
    }

    private func freshTransfer() throws(TransportError) -> CurlTransfer {
      if let transfer = idle.popLast() { return transfer }
      return try CurlTransfer(library, configuration, connections)
    }

    private func cancel(_ call: EngineCall) {
      let ended = telling.removeValue(forKey: ObjectIdentifier(call))?.close()
      if let ended { outbox.letGo(ended) }
      guard let transfer = running[ObjectIdentifier(call)] else {
        if let job = room.remove(call) { outbox.letGo(job) }
        return
      }
      // In mid transfer this closes the connection, or resets the stream of HTTP/2.
      if let job = end(transfer) { outbox.letGo(job) }
    }

    /// Lets the pieces of a call go on.
    private func goOn(_ call: EngineCall, _ change: (CurlPieces) -> Void) {
      guard let pieces = telling[ObjectIdentifier(call)] else { return }
      change(pieces)
      if !pieces.isHeld { resume(call) { $0.resumeReceiving() } }
    }

    private func resume(_ call: EngineCall, _ resume: (CurlTransfer) -> Int32) {
      guard let transfer = running[ObjectIdentifier(call)] else { return }
      let code = resume(transfer)
      if code != 0 { finish(transfer, code) }
    }

    private func perform() {
      // What is ready by now comes first, and the calls that begin where others ended are sent: the server
      // has something to do while users are told, and several are told in a row.
      for _ in 0..<Self.mostRounds {
        let code = multi.act()
        for transfer in streaming.values { transfer.response.tellChunk() }
        while let (easy, result) = multi.nextFinished() {
          spin.noteWork()
          finish(easy, result)
        }
        if code != 0 { failAll(detail: library.multiText(for: code)) }
        guard !outbox.isEmpty, !running.isEmpty, multi.hasMore else { return }
      }
    }

    /// Before users are told what came; as many as a transport has connections to a host.
    private static let mostRounds = 6

    private func finish(_ easy: UnsafeMutableRawPointer, _ code: Int32) {
      guard let context = ccurl_get_pointer(easy, CCURLINFO_PRIVATE) else { return }
      finish(Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue(), code)
    }

    private func finish(_ transfer: CurlTransfer, _ code: Int32) {
      if transfer.canBeginAnew(after: code) { return beginAnew(transfer) }
      let result = transfer.result(code)
      if let line = transfer.line, transfer.isMultiplexed { room.noteMultiplexing(line) }
      guard let job = end(transfer, isReusable: transfer.isReusable(after: code)) else { return }
      tellEnd(of: job, result)
    }

    private func tellEnd(of job: CurlJob, _ result: Result<EngineResponse, TransportError>) {
      guard let pieces = telling[ObjectIdentifier(job.call)] else {
        return outbox.end(job.call, job, result)
      }
      pieces.append(end: result, of: job)
    }

    // MARK: What users are told

    /// Tells users what they are to be told; false where another thread leads by now.
    private func deliver() -> Bool {
      while !outbox.isEmpty || letCallsBegin() {
        // At the end of all, nothing is held up but the end.
        guard crew.isWatched() || isStopping else {
          // Else the answers that wait would become ever more.
          room.isHeld = true
          return true
        }
        guard let delivery = outbox.next() else { continue }
        if !telling.isEmpty, let call = delivery.endedCall {
          telling[ObjectIdentifier(call)] = nil
        }
        let call = delivery.callWithPieces
        let number = crew.begin()
        let flow = (consume delivery).run()
        guard crew.end(number) else {
          if let call {
            for delivery in inbox.noteTold(call, flow) { _ = delivery.run() }
          }
          return false
        }
        if let call { goOn(call) { $0.noteTold(flow) } }
      }
      return true
    }

    /// Lets calls begin again that were held back; whether there is something to tell of them.
    private func letCallsBegin() -> Bool {
      guard room.isHeld else { return false }
      room.isHeld = false
      for line in room.waitingLines { startNext(in: line) }
      return !outbox.isEmpty
    }

    /// Has a call go on over a new connection.
    private func beginAnew(_ transfer: CurlTransfer) {
      multi.remove(transfer.easy)
      do throws(TransportError) {
        try transfer.beginAnew()
        let code = multi.add(transfer.easy, isSecure: transfer.isSecure)
        guard code == 0 else { throw .unavailable(library.multiText(for: code)) }
      } catch {
        if let job = end(transfer) { tellEnd(of: job, .failure(error)) }
      }
    }

    /// Takes a transfer off libcurl and gives its place to who waits; returns what it served.
    private func end(_ transfer: CurlTransfer, isReusable: Bool = false) -> CurlJob? {
      multi.remove(transfer.easy)
      let (job, line) = (transfer.job, transfer.line)
      transfer.clear()
      if isReusable, idle.count < Self.maxIdle { idle.append(transfer) }
      guard let job, let line else { return nil }
      running[ObjectIdentifier(job.call)] = nil
      if !timed.isEmpty { timed[ObjectIdentifier(job.call)] = nil }
      if !streaming.isEmpty { streaming[ObjectIdentifier(job.call)] = nil }
      room.leave(line)
      startNext(in: line)
      return job
    }

    /// Fails the calls whose time ended while they waited: for a connection, or for the server.
    private func expire() {
      guard nextDeadline != nil else { return }
      let now = ContinuousClock.now
      for job in room.removeExpired(now) {
        let reason =
          room.isHeld
          ? "subscribers held up all threads of the transport"
          : "all \(configuration.maxConnectionsPerHost) connections to the host were busy"
        outbox.end(job.call, job, .failure(.beforeSending(.timedOut, reason)))
      }
      for transfer in timed.values {
        guard let deadline = transfer.idleDeadline, deadline <= now else { continue }
        let mayHaveBeenProcessed = transfer.mayHaveBeenProcessed
        let status = transfer.response.statusCode
        guard let job = end(transfer) else { continue }
        tellEnd(
          of: job,
          .failure(
            TransportError(
              kind: .timedOut, detail: "the server was silent for too long",
              mayHaveBeenProcessed: mayHaveBeenProcessed, statusCode: status)))
      }
    }

    /// When the next call's time is over that libcurl does not time.
    private var nextDeadline: ContinuousClock.Instant? {
      let silent = timed.values.compactMap(\.idleDeadline).min()
      guard let busy = room.nextDeadline else { return silent }
      return silent.map { min($0, busy) } ?? busy
    }

    /// Milliseconds until then, within bounds.
    private var sleepLength: Int32 {
      guard let deadline = nextDeadline else { return Self.longestSleep }
      return min(Int32(CurlTransfer.milliseconds(deadline - .now)), Self.longestSleep)
    }

    private static let longestSleep: Int32 = 600_000

    private func failAll(detail: String) {
      let waiting = room.removeAll().map { (job: $0, mayHaveBeenProcessed: false) }
      let ended = running.values.compactMap { transfer in
        let mayHaveBeenProcessed = transfer.mayHaveBeenProcessed
        return end(transfer).map { (job: $0, mayHaveBeenProcessed: mayHaveBeenProcessed) }
      }
      for (job, mayHaveBeenProcessed) in ended + waiting {
        tellEnd(
          of: job,
          .failure(
            TransportError(
              kind: .engineUnavailable, detail: detail,
              mayHaveBeenProcessed: mayHaveBeenProcessed)))
      }
    }

    /// Ends all calls and libcurl; false where another thread leads by now.
    ///
    /// It waits for nobody who takes a piece just now: his thread tells him the rest.
    private func stop() -> Bool {
      repeat {
        let isFirst = !isStopping
        isStopping = true
        obey()
        if isFirst {
          failAll(detail: TransportError.engineClosed.detail)
          for pieces in telling.values { pieces.endPauses() }
          idle = []
          multi.close()
        }
        guard deliver() else { return false }
        _ = inbox.take(into: &commands)
      } while !commands.isEmpty || !inbox.noteStopped(leaving: { telling.mapValues { $0.rest() } })
      return true
    }
  }
#endif
