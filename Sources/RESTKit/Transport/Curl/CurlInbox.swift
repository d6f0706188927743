#if os(Linux)
  internal import CCurl
  import Dispatch
  import Streams
  import Synchronization

  /// What other threads tell the I/O thread, and the way to wake it.
  ///
  /// `@unchecked` for the multi handle: other threads use it for `curl_multi_wakeup` only, which is
  /// made for that, and `waitForWakers` keeps it alive as long as one of them may.
  final class CurlInbox: @unchecked Sendable {
    enum Command {
      case start(CurlJob)
      /// The call's request must not leave.
      case refuse(EngineCall, TransportFault)
      case cancel(EngineCall)
      /// Who takes the response's pieces wants more of them.
      case resumeReceiving(EngineCall)
      /// There is more of the body.
      case resumeSending(EngineCall)
    }

    static let closedFault = TransportFault(
      kind: .engineUnavailable, detail: "the engine was shut down", mayHaveBeenProcessed: false)

    private struct State {
      var commands: [Command] = []
      var isAsleep = false
      var isClosed = false
      var isStopped = false
      var whenStopped: [@Sendable () -> Void] = []
    }

    let library: CurlLibrary
    let multi: UnsafeMutableRawPointer
    private let state = Lock(State())
    private let wakers = Atomic<Int>(0)

    init(library: CurlLibrary, multi: UnsafeMutableRawPointer) {
      self.library = library
      self.multi = multi
    }

    /// Adds a command; false, and nothing done, once the inbox is closed.
    @discardableResult
    func post(_ command: Command) -> Bool {
      let (isTaken, mustWake) = state.withLock { state in
        guard !state.isClosed else { return (false, false) }
        state.commands.append(command)
        return (true, rouse(&state))
      }
      if mustWake { wake() }
      return isTaken
    }

    /// Closes the inbox; the I/O thread then ends every call and itself.
    func close(whenStopped: @escaping @Sendable () -> Void) {
      let (isStopped, mustWake) = state.withLock { state in
        if state.isStopped { return (true, false) }
        state.whenStopped.append(whenStopped)
        state.isClosed = true
        return (false, rouse(&state))
      }
      if mustWake { wake() }
      if isStopped { DispatchQueue.global().async(execute: whenStopped) }
    }

    /// Marks the sleeper as roused and its waker as under way.
    private func rouse(_ state: inout State) -> Bool {
      guard state.isAsleep else { return false }
      state.isAsleep = false
      wakers.add(1, ordering: .relaxed)
      return true
    }

    private func wake() {
      _ = library.api.pointee.multi_wakeup(multi)
      wakers.subtract(1, ordering: .releasing)
    }

    // MARK: For the I/O thread only

    /// Moves the commands into `commands`, which must be empty; false once the inbox is closed.
    func take(into commands: inout [Command]) -> Bool {
      state.withLock { state in
        swap(&commands, &state.commands)
        return !state.isClosed
      }
    }

    /// Whether the thread may sleep; from then on the next command wakes it.
    func prepareSleep() -> Bool {
      state.withLock { state in
        state.isAsleep = state.commands.isEmpty && !state.isClosed
        return state.isAsleep
      }
    }

    /// To be called after each sleep: no need to wake who is awake.
    func noteAwake() {
      state.withLock { $0.isAsleep = false }
    }

    /// Returns when no other thread is inside `curl_multi_wakeup`; to be called after the inbox was
    /// closed and `isAsleep` cleared, so that no new one can come.
    func waitForWakers() {
      while wakers.load(ordering: .acquiring) > 0 { ccurl_yield() }
    }

    /// Says that thread and connections are gone.
    func noteStopped() {
      let callbacks = state.withLock { state in
        state.isStopped = true
        defer { state.whenStopped = [] }
        return state.whenStopped
      }
      for callback in callbacks { callback() }
    }
  }
#endif
