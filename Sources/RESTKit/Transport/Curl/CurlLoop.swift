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
    private var room: CurlWaitingRoom
    private var running: [ObjectIdentifier: CurlTransfer] = [:]
    /// Those whose server may be silent only so long, which libcurl does not time.
    private var timed: [ObjectIdentifier: CurlTransfer] = [:]
    private var idle: [CurlTransfer] = []
    private var commands: [CurlInbox.Command] = []
    /// Running calls that may share a connection.
    private var sharing = 0
    /// Milliseconds of the next sleep while calls share a connection.
    private var patience: Int32 = 1

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
        obey()
        expire()
        perform()
        if inbox.prepareSleep() {
          let length = sleepLength
          let begin = ContinuousClock.now
          let code = ccurl_multi_sleep(multi, length)
          inbox.noteAwake()
          patience = .now - begin < .milliseconds(length) ? 1 : min(patience * 2, 128)
          // Out of memory or descriptors: better late than a spinning thread.
          if code != 0 { usleep(1_000) }
        }
      }
      stop()
    }

    private func obey() {
      for command in commands {
        switch command {
        case .start(let request, let call, let begin): enter(request, call, begin)
        case .cancel(let call): cancel(call)
        case .resumeReceiving(let call): resume(call) { $0.resumeReceiving() }
        case .resumeSending(let call): resume(call) { $0.resumeSending() }
        }
      }
      commands.removeAll(keepingCapacity: true)
    }

    private func enter(
      _ request: EngineRequest, _ call: EngineCall, _ begin: ContinuousClock.Instant
    ) {
      guard call.isPending else { return }
      do throws(TransportFault) {
        try request.validate()
      } catch {
        call.complete(.failure(error))
        return
      }
      let entry = CurlWaitingRoom.Entry(request, call, begin)
      if room.enter(entry) { start(entry) }
    }

    /// Starts a call that has a place; gives the place back if that fails.
    private func start(_ entry: CurlWaitingRoom.Entry) {
      do throws(TransportFault) {
        let transfer = try freshTransfer()
        try transfer.prepare(entry) { [inbox, call = entry.call] in
          inbox.post(.resumeSending(call))
        }
        let code = library.api.pointee.multi_add_handle(multi, transfer.easy)
        guard code == 0 else {
          transfer.clear()
          throw TransportFault(
            kind: .engineUnavailable, detail: library.multiText(for: code),
            mayHaveBeenProcessed: false)
        }
        running[ObjectIdentifier(entry.call)] = transfer
        if entry.request.idleTimeout != nil { timed[ObjectIdentifier(entry.call)] = transfer }
        if Self.mayShare(entry) { sharing += 1 }
      } catch {
        room.leave(entry.origin)
        entry.call.complete(.failure(error))
      }
    }

    private func freshTransfer() throws(TransportFault) -> CurlTransfer {
      if let transfer = idle.popLast() { return transfer }
      return try CurlTransfer(library, configuration)
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
      var result: Int32 = 0
      while let easy = ccurl_multi_next_finished(multi, &result) {
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
      let result = transfer.result(code)
      if let entry = transfer.entry, transfer.isMultiplexed { room.noteMultiplexing(entry.origin) }
      end(transfer)?.complete(result)
    }

    /// Takes a transfer off libcurl and gives its place to who waits; returns its call.
    @discardableResult
    private func end(_ transfer: CurlTransfer) -> EngineCall? {
      _ = library.api.pointee.multi_remove_handle(multi, transfer.easy)
      let entry = transfer.entry
      transfer.clear()
      if idle.count < Self.maxIdle, !library.keepsFreedHeaders { idle.append(transfer) }
      guard let entry else { return nil }
      running[ObjectIdentifier(entry.call)] = nil
      if !timed.isEmpty { timed[ObjectIdentifier(entry.call)] = nil }
      if Self.mayShare(entry) { sharing -= 1 }
      room.leave(entry.origin)
      while let next = room.next(entry.origin) { start(next) }
      return entry.call
    }

    /// Fails the calls whose time ended while they waited: for a connection, or for the server.
    private func expire() {
      guard nextDeadline != nil else { return }
      let now = ContinuousClock.now
      for call in room.removeExpired(now) {
        call.complete(
          .failure(
            TransportFault(
              kind: .timedOut,
              detail:
                "all \(configuration.maxConnectionsPerHost) connections to the host were busy",
              mayHaveBeenProcessed: false)))
      }
      for transfer in timed.values {
        guard let deadline = transfer.idleDeadline, deadline <= now else { continue }
        let mayHaveBeenProcessed = transfer.mayHaveBeenProcessed
        let status = transfer.response.statusCode
        end(transfer)?.complete(
          .failure(
            TransportFault(
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

    /// Whether the call may go over HTTP/2.
    private static func mayShare(_ entry: CurlWaitingRoom.Entry) -> Bool {
      entry.origin.utf8.dropFirst(4).first.map { $0 | 0x20 } == UInt8(ascii: "s")
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
      let waiting = room.removeAll()
      let ended = running.values.compactMap { transfer in
        transfer.entry.map { (transfer, $0.call, transfer.mayHaveBeenProcessed) }
      }
      running = [:]
      timed = [:]
      for (transfer, _, _) in ended { end(transfer) }
      for (_, call, mayHaveBeenProcessed) in ended {
        call.complete(
          .failure(
            TransportFault(
              kind: .engineUnavailable, detail: detail,
              mayHaveBeenProcessed: mayHaveBeenProcessed)))
      }
      for call in waiting {
        call.complete(
          .failure(
            TransportFault(kind: .engineUnavailable, detail: detail, mayHaveBeenProcessed: false)))
      }
    }

    private func stop() {
      for case .start(_, let call, _) in commands {
        call.complete(.failure(CurlInbox.closedFault))
      }
      commands = []
      failAll(detail: CurlInbox.closedFault.detail)
      idle = []
      inbox.waitForWakers()
      _ = library.api.pointee.multi_cleanup(multi)
      inbox.noteStopped()
    }
  }
#endif
