#if os(Linux)
  internal import CCurl
  import Foundation
  import HTTPWire

  /// A multi handle of libcurl, driven by ready sockets and by its timer.
  ///
  /// libcurl names the sockets to watch, and the kernel keeps the list: the cost of a turn does not
  /// depend on the number of calls (https://curl.se/libcurl/c/curl_multi_socket_action.html).
  ///
  /// Only the leader uses it.
  final class CurlMulti {
    private let library: CurlLibrary
    private let handle: UnsafeMutableRawPointer
    private let bell: Int32
    private var watch: Int32
    /// The events that libcurl wants for each socket, indexed by the socket's number.
    private var interests: [Interest] = []
    /// The numbers of sockets that were reported once after libcurl had closed them.
    private var ghosts: Set<Int32> = []
    /// The sockets that cannot be watched; they count as ready.
    private var unwatched: Set<Int32> = []
    private var ready: [ccurl_ready] = []
    private var timer = Timer.off
    /// The transfers over TLS, whose connections may be shared.
    private var secure: Set<UnsafeMutableRawPointer> = []
    private var doubt = CurlDoubt()
    private var isInDoubt = false

    private struct Interest {
      /// 0 for nothing.
      var ways: Int32 = 0
      /// A mark that distinguishes the number's socket from its predecessors.
      var mark: UInt32 = 0
    }

    /// libcurl's one timer.
    private enum Timer: Equatable {
      case off
      case now
      case at(ContinuousClock.Instant)
    }

    private init(_ library: CurlLibrary, handle: UnsafeMutableRawPointer, bell: Int32, watch: Int32)
    {
      self.library = library
      self.handle = handle
      self.bell = bell
      self.watch = watch
    }

    deinit { ccurl_watch_close(watch) }

    /// - Parameter bell: A descriptor that also ends a wait.
    /// - Throws: `.engineUnavailable` if memory or descriptors are exhausted.
    static func make(_ library: CurlLibrary, bell: Int32) throws(TransportError) -> CurlMulti {
      let watch = ccurl_watch_open(bell)
      guard watch >= 0 else { throw .unavailable("epoll_create1 failed with code \(errno)") }
      guard let handle = library.api.pointee.multi_init() else {
        ccurl_watch_close(watch)
        throw .unavailable("curl_multi_init failed")
      }
      let multi = CurlMulti(library, handle: handle, bell: bell, watch: watch)
      let code = ccurl_multi_set_callbacks(
        handle, interest, alarm, Unmanaged.passUnretained(multi).toOpaque())
      guard code == 0 else {
        multi.close()
        throw .unavailable(library.multiText(for: code))
      }
      return multi
    }

    func set(_ option: ccurl_multi_option, _ value: Int) {
      _ = ccurl_multi_set_long(handle, option, value)
    }

    /// Adds a transfer, and returns libcurl's code, which is nonzero if that fails.
    func add(_ easy: UnsafeMutableRawPointer, isSecure: Bool) -> Int32 {
      let code = library.api.pointee.multi_add_handle(handle, easy)
      if code == 0, isSecure { secure.insert(easy) }
      return code
    }

    func remove(_ easy: UnsafeMutableRawPointer) {
      _ = library.api.pointee.multi_remove_handle(handle, easy)
      if !secure.isEmpty { secure.remove(easy) }
    }

    /// Closes libcurl's connections.
    func close() {
      _ = library.api.pointee.multi_cleanup(handle)
    }

    /// Returns the next transfer that has ended, with libcurl's code for its end.
    func nextFinished() -> (easy: UnsafeMutableRawPointer, code: Int32)? {
      var code: Int32 = 0
      return ccurl_multi_next_finished(handle, &code).map { ($0, code) }
    }

    // MARK: What is to be done

    /// Whether there is something to do at once.
    ///
    /// It checks which sockets are ready.
    var hasMore: Bool { timer == .now || wait(milliseconds: 0) && !ready.isEmpty }

    /// Lets libcurl do its pending work, and returns its code, which is nonzero if that fails.
    func act() -> Int32 {
      while let one = ready.popLast() {
        let interest = interest(for: one.socket)
        guard interest.ways != 0, interest.mark == one.mark else {
          silence(one, isOpen: interest.mark == one.mark)
          continue
        }
        let code = act(on: one.socket, one.ways)
        if code != 0 { return code }
      }
      if isInDoubt {
        isInDoubt = false
        var running: Int32 = 0
        let code = library.api.pointee.multi_act_on_all(handle, &running)
        if code != 0 { return code }
      }
      return isTimerOver ? ring() : 0
    }

    /// Removes a socket without wanted events from the watch, which would otherwise report it again
    /// and again.
    ///
    /// The kernel continues to watch a socket that libcurl has closed as long as another process
    /// holds it, for example by inheritance. Only closing the whole watch ends that. The first
    /// report is tolerated, since the socket may have been closed in the meantime.
    private func silence(_ one: ccurl_ready, isOpen: Bool) {
      if isOpen, ccurl_watch_forget(watch, one.socket) == 0 { return }
      guard !ghosts.insert(one.socket).inserted else { return }
      let fresh = ccurl_watch_open(bell)
      guard fresh >= 0 else { return }
      ccurl_watch_close(watch)
      watch = fresh
      ghosts = []
      // The next wait reports them again.
      ready = []
      for socket in interests.indices where interests[socket].ways != 0 { observe(Int32(socket)) }
    }

    private var isTimerOver: Bool {
      switch timer {
      case .off: false
      case .now: true
      case .at(let moment): moment <= .now
      }
    }

    private func ring() -> Int32 {
      timer = .off
      let code = act(on: Int32(CCURL_SOCKET_TIMEOUT), 0)
      // libcurl may have set no timer: if this timer was early, since libcurl counts whole
      // milliseconds of another clock, or if nothing is due any more (7.88).
      var left = -1
      if timer == .off, library.api.pointee.multi_timeout(handle, &left) == 0 {
        note(milliseconds: left == 0 ? 1 : left)
      }
      return code
    }

    private func act(on socket: Int32, _ ways: Int32) -> Int32 {
      var running: Int32 = 0
      return library.api.pointee.multi_act(handle, socket, ways, &running)
    }

    // MARK: Waiting

    /// Waits until a socket is ready, libcurl's timer fires, the bell rings or the milliseconds
    /// have passed.
    ///
    /// Returns false if that fails.
    func wait(milliseconds: Int32) -> Bool {
      guard !secure.isEmpty else { return listen(milliseconds: milliseconds) }
      let begin = ContinuousClock.now
      let isWell = listen(milliseconds: isInDoubt ? 0 : min(milliseconds, doubt.milliseconds))
      let now = ContinuousClock.now
      if doubt.note(now - begin, now: now) { isInDoubt = true }
      return isWell
    }

    private func listen(milliseconds: Int32) -> Bool {
      var length = milliseconds
      switch timer {
      case .off: break
      case .now: length = 0
      case .at(let moment): length = min(length, Self.milliseconds(until: moment))
      }
      if !unwatched.isEmpty { length = min(length, 1) }
      let count = withUnsafeTemporaryAllocation(of: ccurl_ready.self, capacity: Self.most) { room in
        let count = ccurl_watch_wait(watch, room.baseAddress, Int32(room.count), length)
        for index in 0..<Int(max(count, 0)) { ready.append(room[index]) }
        return count
      }
      for socket in unwatched {
        let interest = interest(for: socket)
        ready.append(ccurl_ready(socket: socket, ways: interest.ways, mark: interest.mark))
      }
      return count >= 0
    }

    private static let most = Int(CCURL_WATCH_MOST)

    private static func milliseconds(until moment: ContinuousClock.Instant) -> Int32 {
      let left = moment - .now
      return left > .zero ? Int32(clamping: CurlTransfer.milliseconds(left)) : 0
    }

    // MARK: What libcurl says

    private func interest(for socket: Int32) -> Interest {
      let index = Int(socket)
      return index < interests.count ? interests[index] : Interest()
    }

    /// Notes the events that libcurl wants for a socket.
    func note(_ ways: Int32, for socket: Int32) {
      let index = Int(socket)
      guard ways != CCURL_POLL_REMOVE else {
        if index < interests.count { interests[index].ways = 0 }
        unwatched.remove(socket)
        // It stays in the kernel's list: a kept connection is soon needed again, and is silent
        // until then.
        return
      }
      while interests.count <= index { interests.append(Interest()) }
      interests[index].ways = ways
      observe(socket)
    }

    private func observe(_ socket: Int32) {
      let index = Int(socket)
      if ccurl_watch_set(watch, socket, interests[index].ways, &interests[index].mark) == 0 {
        unwatched.remove(socket)
      } else {
        unwatched.insert(socket)
      }
    }

    /// Sets libcurl's timer.
    ///
    /// A negative time stops it.
    func note(milliseconds: Int) {
      timer =
        switch milliseconds {
        case ..<0: .off
        case 0: .now
        default: .at(.now + .milliseconds(milliseconds))
        }
    }

    private static let interest: ccurl_interest_callback = { _, socket, ways, context, _ in
      multi(context)?.note(ways, for: socket)
      return 0
    }

    private static let alarm: ccurl_timer_callback = { _, milliseconds, context in
      multi(context)?.note(milliseconds: milliseconds)
      return 0
    }

    private static func multi(_ context: UnsafeMutableRawPointer?) -> CurlMulti? {
      context.map { Unmanaged<CurlMulti>.fromOpaque($0).takeUnretainedValue() }
    }
  }

  /// A rule for the longest silence before libcurl must check each of its calls.
  ///
  /// When driven by sockets and its timer, some releases forget calls over TLS or HTTP/2: 7.87
  /// while it connects (curl issue 10146), and 8.6 at their end (12971). A check of all calls finds
  /// the forgotten ones.
  struct CurlDoubt {
    /// The first and the longest wait, in milliseconds.
    private static let bounds: ClosedRange<Int32> = 4...512

    /// The longest wait, in milliseconds.
    private(set) var milliseconds = bounds.lowerBound

    /// The time of libcurl's last check of all calls.
    private var looked: ContinuousClock.Instant?

    /// Notes the end of a wait, and returns whether to check all calls now.
    ///
    /// If other calls keep all waits short, a forgotten call is checked nevertheless.
    mutating func note(_ waited: Duration, now: ContinuousClock.Instant) -> Bool {
      let last = looked ?? now
      let isOver = waited >= .milliseconds(milliseconds)
      let looks = isOver || now - last >= .milliseconds(Self.bounds.upperBound)
      milliseconds = isOver ? min(milliseconds * 2, Self.bounds.upperBound) : Self.bounds.lowerBound
      looked = looks ? now : last
      return looks
    }
  }
#endif
