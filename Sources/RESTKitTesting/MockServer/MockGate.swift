import Foundation
import Streams

/// A gate that holds back responses of a ``MockServer`` until a test opens it.
///
/// ```swift
/// let gate = MockGate()
/// let server = try MockServer { _ in .text("done", gate: gate) }
/// // … the client sends its request …
/// try await server.received(1)  // it is there, and not answered
/// gate.open()
/// ```
///
/// One gate may hold any number of responses. An open gate stays open.
public final class MockGate: Sendable {
  private struct State {
    var isOpen = false
    /// The latch of the responses that it holds; nil if it holds none.
    var latch: MockLatch?
    var actions: [@Sendable () -> Void] = []
  }

  private let state = Lock(State())

  /// Creates a closed gate.
  public init() {}

  /// Whether ``open()`` was called.
  public var isOpen: Bool {
    state.withLock { $0.isOpen }
  }

  /// Releases every held response.
  ///
  /// Call it on any thread. Calls after the first do nothing.
  public func open() {
    let opened = state.withLock { state in
      defer { state = State(isOpen: true) }
      return state
    }
    opened.latch?.open()
    for action in opened.actions { action() }
  }

  /// Runs an action when the gate opens, on the thread that opens it, or now if it is open.
  func whenOpen(_ action: @escaping @Sendable () -> Void) {
    let isOpen = state.withLock { state in
      if !state.isOpen { state.actions.append(action) }
      return state.isOpen
    }
    if isOpen { action() }
  }

  /// Returns the latch that opens with this gate, or nil if the gate is open.
  func latch() throws(MockServerError) -> MockLatch? {
    try state.withLock { (state) throws(MockServerError) in
      guard !state.isOpen else { return nil }
      if let latch = state.latch { return latch }
      let latch = try MockLatch()
      state.latch = latch
      return latch
    }
  }
}

/// A one-shot signal that any number of threads can wait for in `poll`, together with sockets.
///
/// It is a pipe to which nobody writes. Closing its write end makes the read end ready for ever.
final class MockLatch: Sendable {
  /// The read end, for `poll`.
  let descriptor: Int32

  private let writeEnd: Lock<Int32?>

  init() throws(MockServerError) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw .systemCall("pipe") }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    }
    descriptor = ends[0]
    writeEnd = Lock(ends[1])
  }

  deinit {
    open()
    close(descriptor)
  }

  func open() {
    writeEnd.withLock { end in
      if let open = end { close(open) }
      end = nil
    }
  }
}
