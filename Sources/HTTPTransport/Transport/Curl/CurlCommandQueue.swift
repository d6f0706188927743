#if os(Linux)
  internal import CCurl
  import Dispatch
  import Foundation
  import HTTPWire
  import Streams
  import Synchronization

  /// The commands of other threads for the engine's leader, with the means to wake it.
  ///
  /// It is `@unchecked` because of the multi handle, which only the leader uses.
  final class CurlCommandQueue: @unchecked Sendable {
    enum Command {
      case start(CurlJob)
      /// The call has a place at this loop.
      case begin(CurlJob, CurlConnectionQueue.Line)
      /// The call's request must not be sent.
      case refuse(EngineCall, TransportError)
      case cancel(EngineCall)
      /// The buffer of a call in pieces wants more after a pause.
      case resumeReceiving(EngineCall)
      /// There is more of the body.
      case resumeSending(EngineCall)
      /// A thread that no longer leads has delivered a call's events.
      case told(EngineCall)
      /// A task that prefers this loop's threads goes on.
      case run(CurlTaskJob)
      /// A thread is available again for pending deliveries, or a time limit is earlier.
      case deliver
    }

    private struct State {
      var commands: [Command] = []
      var isAsleep = false
      var isClosed = false
      var isStopped = false
      var whenStopped: [@Sendable () -> Void] = []
    }

    let library: CurlLibrary
    let multi: CurlMulti
    /// The descriptor that wakes the sleeping thread, besides libcurl's sockets.
    private let bell: Int32
    private let state = Lock(State())
    /// Whether a task has come here.
    ///
    /// Relaxed: it only decides how often the sockets are looked at.
    private let runsTasks = Atomic(false)

    private init(library: CurlLibrary, multi: CurlMulti, bell: Int32) {
      self.library = library
      self.multi = multi
      self.bell = bell
    }

    deinit { ccurl_bell_close(bell) }

    /// - Throws: `.engineUnavailable` if memory or descriptors are exhausted.
    static func make(_ library: CurlLibrary) throws(TransportError) -> CurlCommandQueue {
      let bell = ccurl_bell_open()
      guard bell >= 0 else { throw .unavailable("eventfd failed with code \(errno)") }
      do throws(TransportError) {
        let multi = try CurlMulti.make(library, bell: bell)
        return CurlCommandQueue(library: library, multi: multi, bell: bell)
      } catch {
        ccurl_bell_close(bell)
        throw error
      }
    }

    /// Adds a command.
    ///
    /// Returns false, and does nothing, once the queue is closed.
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

    /// Whether the calling thread works for this queue's loop, or did so last.
    var isOfThisThread: Bool { ccurl_loop() == number }

    /// The number of the loop among all of the process.
    private var number: UInt { UInt(bitPattern: ObjectIdentifier(self)) }

    /// Adds the next part of a task, as `post` does a command.
    func run(_ job: CurlTaskJob) -> Bool {
      runsTasks.store(true, ordering: .relaxed)
      return post(.run(job))
    }

    /// Closes the queue.
    ///
    /// The leader then ends every call and itself.
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

    /// Marks the sleeping thread as awake, and returns whether there was one to wake.
    private func rouse(_ state: inout State) -> Bool {
      defer { state.isAsleep = false }
      return state.isAsleep
    }

    // MARK: For the leader only

    /// Notes that the calling thread works for this queue's loop.
    func enter() { ccurl_set_loop(number) }

    /// Moves the commands into `commands`, which must be empty.
    ///
    /// Returns false once the queue is closed.
    func take(into commands: inout [Command]) -> Bool {
      state.withLock { state in
        swap(&commands, &state.commands)
        // From here on, the leader is awake and needs no wake-up.
        state.isAsleep = false
        return !state.isClosed
      }
    }

    /// Whether tasks run here, and commands wait.
    var hasCommandsOfTasks: Bool {
      runsTasks.load(ordering: .relaxed) && state.withLock { !$0.commands.isEmpty }
    }

    /// Returns whether the thread may sleep.
    ///
    /// If so, the next command wakes it.
    func prepareSleep() -> Bool {
      state.withLock { state in
        state.isAsleep = state.commands.isEmpty && !state.isClosed
        return state.isAsleep
      }
    }

    /// Notes that no thread leads any more and the connections are closed.
    ///
    /// Returns false, and does nothing, while there are commands.
    func noteStopped() -> Bool {
      let callbacks: [@Sendable () -> Void]? = state.withLock { state in
        guard state.commands.isEmpty else { return nil }
        state.isStopped = true
        defer { state.whenStopped = [] }
        return state.whenStopped
      }
      guard let callbacks else { return false }
      for callback in callbacks { callback() }
      return true
    }
  }
#endif
