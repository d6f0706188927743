#if os(Linux)
  internal import CCurl
  import Foundation

  /// The I/O thread of one engine.
  ///
  /// Everything here happens on it.
  final class CurlLoop {
    private let inbox: CurlInbox
    private let library: CurlLibrary
    private let multi: UnsafeMutableRawPointer
    private let configuration: CurlConfiguration
    private let room: CurlWaitingRoom
    private let connections = CurlConnections()
    private var running: [ObjectIdentifier: CurlTransfer] = [:]
    /// Those whose server may be silent only so long, which libcurl does not time.
    private var timed: [ObjectIdentifier: CurlTransfer] = [:]
    /// Those whose response is told in pieces.
    private var streaming: [ObjectIdentifier: CurlTransfer] = [:]
    private var idle: [CurlTransfer] = []
    private var commands: [CurlInbox.Command] = []
    /// Running calls that may share a connection.
    private var sharing = 0
    /// Milliseconds of the next sleep while calls share a connection.
    private var patience: Int32 = 1
    private var spin = AdaptiveSpin()

    /// Easy handles kept for reuse; one is about 10 KB.
    private static let maxIdle = 64

    init(inbox: CurlInbox, configuration: CurlConfiguration) {
      self.inbox = inbox
      self.library = inbox.library
      self.multi = inbox.multi
      self.configuration = configuration
      room = CurlWaitingRoom(slots: max(1, configuration.maxConnectionsPerHost))
    }

    func run() {
      ccurl_block_sigpipe()
      _ = ccurl_multi_set_long(
        multi, CCURLMOPT_MAX_HOST_CONNECTIONS, max(1, configuration.maxConnectionsPerHost))
      _ = ccurl_multi_set_long(multi, CCURLMOPT_MAXCONNECTS, configuration.maxKeptConnections)
      while inbox.take(into: &commands) {
        if !commands.isEmpty { spin.noteWork() }
        obey()
        expire()
        perform()
        if spin.looksAgain() {
          // The task that waits for the answer, or the server, may have been given this core.
          sched_yield()
        } else if inbox.prepareSleep() {
          sleep()
        }
      }
      stop()
    }

    private func sleep() {
      let length = sleepLength
      let begin = sharing > 0 ? ContinuousClock.now : nil
      let code = inbox.sleep(milliseconds: length)
      if let begin {
        patience = .now - begin < .milliseconds(length) ? 1 : min(patience * 2, 128)
      }
      // Out of memory or descriptors: better late than a spinning thread.
      if code != 0 { usleep(1_000) }
    }

    private func obey() {
      for command in commands {
        switch command {
        case .start(let job): enter(job)
        case .refuse(let call, let fault): call.complete(.failure(fault))
        case .cancel(let call): cancel(call)
        case .resumeReceiving(let call): resume(call) { $0.resumeReceiving() }
        case .resumeSending(let call): resume(call) { $0.resumeSending() }
        }
      }
      commands.removeAll(keepingCapacity: true)
    }

    private func enter(_ job: CurlJob) {
      guard job.call.isPending, let line = room.enter(job) else { return }
      start(job, in: line)
    }

    /// Starts a call that has a place; gives the place back if that fails.
    private func start(_ job: CurlJob, in line: CurlWaitingRoom.Line) {
      spin.noteCall(isAlone: running.isEmpty)
      do throws(TransportError) {
        let transfer = try freshTransfer()
        try transfer.prepare(job, in: line) { [inbox, call = job.call] in
          inbox.post(.resumeSending(call))
        }
        let code = library.api.pointee.multi_add_handle(multi, transfer.easy)
        guard code == 0 else {
          transfer.clear()
          throw .unavailable(library.multiText(for: code))
        }
        running[ObjectIdentifier(job.call)] = transfer
        if job.request.idleTimeout != nil { timed[ObjectIdentifier(job.call)] = transfer }
        if job.request.onEvent != nil { streaming[ObjectIdentifier(job.call)] = transfer }
        if job.isSecure { sharing += 1 }
      } catch {
        room.leave(line)
        job.call.complete(.failure(error))
      }
    }

    private func freshTransfer() throws(TransportError) -> CurlTransfer {
      if let transfer = idle.popLast() { return transfer }
      return try CurlTransfer(library, configuration, connections)
    }

    private func cancel(_ call: EngineCall) {
      guard let transfer = running[ObjectIdentifier(call)] else {
        room.remove(call)
        return
      }
      // In mid transfer this closes the connection, or resets the stream of HTTP/2.
      end(transfer)
    }

    private func resume(_ call: EngineCall, _ resume: (CurlTransfer) -> Int32) {
      guard let transfer = running[ObjectIdentifier(call)] else { return }
      let code = resume(transfer)
      if code != 0 { finish(transfer, code) }
    }

    private func perform() {
      var count: Int32 = 0
      let code = library.api.pointee.multi_perform(multi, &count)
      for transfer in streaming.values { transfer.response.tellChunk() }
      var result: Int32 = 0
      while let easy = ccurl_multi_next_finished(multi, &result) {
        spin.noteWork()
        finish(easy, result)
      }
      if code != 0 {
        failAll(detail: library.multiText(for: code))
      }
    }

    private func finish(_ easy: UnsafeMutableRawPointer, _ code: Int32) {
      guard let context = ccurl_get_pointer(easy, CCURLINFO_PRIVATE) else { return }
      finish(Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue(), code)
    }

    private func finish(_ transfer: CurlTransfer, _ code: Int32) {
      if transfer.canBeginAnew(after: code) { return beginAnew(transfer) }
      let result = transfer.result(code)
      if let line = transfer.line, transfer.isMultiplexed { room.noteMultiplexing(line) }
      end(transfer, isReusable: transfer.isReusable(after: code))?.complete(result)
    }

    /// Has a call go on over a new connection.
    private func beginAnew(_ transfer: CurlTransfer) {
      _ = library.api.pointee.multi_remove_handle(multi, transfer.easy)
      do throws(TransportError) {
        try transfer.beginAnew()
        let code = library.api.pointee.multi_add_handle(multi, transfer.easy)
        guard code == 0 else { throw .unavailable(library.multiText(for: code)) }
      } catch {
        end(transfer)?.complete(.failure(error))
      }
    }

    /// Takes a transfer off libcurl and gives its place to who waits; returns its call.
    @discardableResult
    private func end(_ transfer: CurlTransfer, isReusable: Bool = false) -> EngineCall? {
      _ = library.api.pointee.multi_remove_handle(multi, transfer.easy)
      let (job, line) = (transfer.job, transfer.line)
      transfer.clear()
      if isReusable, idle.count < Self.maxIdle { idle.append(transfer) }
      guard let job, let line else { return nil }
      running[ObjectIdentifier(job.call)] = nil
      if !timed.isEmpty { timed[ObjectIdentifier(job.call)] = nil }
      if !streaming.isEmpty { streaming[ObjectIdentifier(job.call)] = nil }
      if job.isSecure { sharing -= 1 }
      room.leave(line)
      while let next = room.next(line) { start(next, in: line) }
      return job.call
    }

    /// Fails the calls whose time ended while they waited: for a connection, or for the server.
    private func expire() {
      guard nextDeadline != nil else { return }
      let now = ContinuousClock.now
      for call in room.removeExpired(now) {
        call.complete(
          .failure(
            .beforeSending(
              .timedOut,
              "all \(configuration.maxConnectionsPerHost) connections to the host were busy")))
      }
      for transfer in timed.values {
        guard let deadline = transfer.idleDeadline, deadline <= now else { continue }
        let mayHaveBeenProcessed = transfer.mayHaveBeenProcessed
        let status = transfer.response.statusCode
        end(transfer)?.complete(
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

    /// Milliseconds until then; libcurl knows its own timers.
    private var sleepLength: Int32 {
      // When one call over HTTP/2 reads what belongs to another, libcurl sets a timer to run that
      // one; `curl_multi_perform` can drop it at its end, since it takes for its start a time that
      // has moved on meanwhile (seen with 7.88). A look a little later finds what was dropped.
      let longest = sharing > 0 ? patience : 600_000
      guard let deadline = nextDeadline else { return longest }
      let left = deadline - .now
      guard left < .milliseconds(longest) else { return longest }
      return Int32(CurlTransfer.milliseconds(left))
    }

    private func failAll(detail: String) {
      let waiting = room.removeAll().map { (call: $0, mayHaveBeenProcessed: false) }
      let ended = running.values.compactMap { transfer in
        transfer.job.map { (call: $0.call, mayHaveBeenProcessed: transfer.mayHaveBeenProcessed) }
      }
      for transfer in running.values { end(transfer) }
      for (call, mayHaveBeenProcessed) in ended + waiting {
        call.complete(
          .failure(
            TransportError(
              kind: .engineUnavailable, detail: detail,
              mayHaveBeenProcessed: mayHaveBeenProcessed)))
      }
    }

    private func stop() {
      for command in commands {
        switch command {
        case .start(let job): job.call.complete(.failure(.engineClosed))
        case .refuse(let call, let fault): call.complete(.failure(fault))
        default: break
        }
      }
      commands = []
      failAll(detail: TransportError.engineClosed.detail)
      idle = []
      _ = library.api.pointee.multi_cleanup(multi)
      inbox.noteStopped()
    }
  }
#endif
