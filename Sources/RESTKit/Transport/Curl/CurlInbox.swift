#if os(Linux)
  internal import CCurl
  import Dispatch
  import Foundation
  import Streams

  /// What other threads tell the one that leads the engine, and the way to wake it.
  ///
  /// `@unchecked` for the multi handle, which the leader alone uses.
  final class CurlInbox: @unchecked Sendable {
    enum Command {
      case start(CurlJob)
      /// The call's request must not leave.
      case refuse(EngineCall, TransportError)
      case cancel(EngineCall)
      /// Who takes the response's pieces wants more of them.
      case resumeReceiving(EngineCall)
      /// There is more of the body.
      case resumeSending(EngineCall)
      /// Who takes the response's pieces has taken the last one.
      case told(EngineCall, EngineFlow)
      /// There is a thread again for what could not be delivered.
      case deliver
    }

    private struct State {
      var commands: [Command] = []
      var isAsleep = false
      var isClosed = false
      var isStopped = false
      var whenStopped: [@Sendable () -> Void] = []
      /// What calls are to be told whose subscribers took a piece when the engine ended.
      var orphans: [ObjectIdentifier: [Delivery]] = [:]
    }

    let library: CurlLibrary
    let multi: CurlMulti
    /// What the sleeping thread listens to besides libcurl's sockets.
    private let bell: Int32
    private let state = Lock(State())

    private init(library: CurlLibrary, multi: CurlMulti, bell: Int32) {
      self.library = library
      self.multi = multi
      self.bell = bell
    }

    deinit { ccurl_bell_close(bell) }

    /// - Throws: `.engineUnavailable` where memory or descriptors are used up.
    static func make(_ library: CurlLibrary) throws(TransportError) -> CurlInbox {
      let bell = ccurl_bell_open()
      guard bell >= 0 else { throw .unavailable("eventfd failed with code \(errno)") }
      do throws(TransportError) {
        let multi = try CurlMulti.make(library, bell: bell)
        return CurlInbox(library: library, multi: multi, bell: bell)
      } catch {
        ccurl_bell_close(bell)
        throw error
      }
    }

    /// Adds a command; false, and nothing done, once the inbox is closed.
    @discardableResult
    func post(_ command: Command) -> Bool {
      let (isTaken, mustWake) = state.withLock { state in
        guard !state.isClosed else { return (false, false) }
        state.commands.append(command)
        return (true, rouse(&state))
      }
      if mustWake { ccurl_bell_ring(bell) }
      return isTaken
    }

    /// Says that a piece was told by a thread that does not lead any more.
    ///
    /// - Returns: What the call is still to be told, where nobody else does.
    func noteTold(_ call: EngineCall, _ flow: EngineFlow) -> [Delivery] {
      let (rest, mustWake): ([Delivery], Bool) = state.withLock { state in
        if state.isStopped {
          return (state.orphans.removeValue(forKey: ObjectIdentifier(call)) ?? [], false)
        }
        state.commands.append(.told(call, flow))
        return ([], rouse(&state))
      }
      if mustWake { ccurl_bell_ring(bell) }
      return rest
    }

    /// Closes the inbox; the leader then ends every call and itself.
    func close(whenStopped: @escaping @Sendable () -> Void) {
      let (isStopped, mustWake) = state.withLock { state in
        if state.isStopped { return (true, false) }
        state.whenStopped.append(whenStopped)
        state.isClosed = true
        return (false, rouse(&state))
      }
      if mustWake { ccurl_bell_ring(bell) }
      if isStopped { DispatchQueue.global().async(execute: whenStopped) }
    }

    /// Marks the sleeper as roused; whether there was one, who is now to be woken.
    private func rouse(_ state: inout State) -> Bool {
      defer { state.isAsleep = false }
      return state.isAsleep
    }

    // MARK: For the leader only

    /// Moves the commands into `commands`, which must be empty; false once the inbox is closed.
    func take(into commands: inout [Command]) -> Bool {
      state.withLock { state in
        swap(&commands, &state.commands)
        // From here on nobody needs to wake who is awake.
        state.isAsleep = false
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

    /// Says that nobody leads any more, and the connections are gone; false, and nothing done, while there
    /// are commands.
    ///
    /// - Parameter orphans: Takes out what those are to be told who take a piece just now; not called
    ///   where nothing is done.
    func noteStopped(leaving orphans: () -> [ObjectIdentifier: [Delivery]]) -> Bool {
      let callbacks: [@Sendable () -> Void]? = state.withLock { state in
        guard state.commands.isEmpty else { return nil }
        state.isStopped = true
        state.orphans = orphans()
        defer { state.whenStopped = [] }
        return state.whenStopped
      }
      guard let callbacks else { return false }
      for callback in callbacks { callback() }
      return true
    }
  }
#endif
