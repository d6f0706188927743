import Streams

/// Holds responses of a ``MockServer`` back until a test opens it.
///
/// ```swift
/// let gate = MockGate()
/// let server = try MockServer { _ in .text("done", gate: gate) }
/// // … the client sends its request …
/// try await server.received(1)  // it is there, and not answered
/// gate.open()
/// ```
///
/// One gate may hold any number of responses; once open it stays open.
public final class MockGate: Sendable {
  private enum State {
    case unused
    case holding(MockLatch)
    case open
  }

  private let state = Lock(State.unused)

  /// Makes a gate that is shut.
  public init() {}

  /// Whether ``open()`` was called.
  public var isOpen: Bool {
    state.withLock { if case .open = $0 { true } else { false } }
  }

  /// Lets every held response go, from any thread; calls after the first do nothing.
  public func open() {
    let latch: MockLatch? = state.withLock { state in
      defer { state = .open }
      if case .holding(let latch) = state { return latch }
      return nil
    }
    latch?.open()
  }

  /// The latch that opens with this gate; nil when it is open already.
  func latch() throws(MockServerError) -> MockLatch? {
    try state.withLock { (state) throws(MockServerError) in
      switch state {
      case .unused:
        let latch = try MockLatch()
        state = .holding(latch)
        return latch
      case .holding(let latch):
        return latch
      case .open:
        return nil
      }
    }
  }
}
