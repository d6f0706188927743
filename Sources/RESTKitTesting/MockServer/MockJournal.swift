import Streams

/// The events of a server, and the tasks that wait for an event.
final class MockJournal: Sendable {
  enum Event {
    /// This number of requests has arrived.
    case requests(Int)
    /// The connection has ended.
    case end(of: Int)
  }

  private struct Waiter {
    let event: Event
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var requests: [MockRequest] = []
    /// The number of bytes of bodies that may still be kept.
    var room: Int
    var connectionCount = 0
    var ends: [Int: MockConnectionEnd] = [:]
    var isFinished = false
    var waiters: [Int: Waiter] = [:]
    var nextWaiter = 0

    func hasHappened(_ event: Event) -> Bool {
      switch event {
      case .requests(let count): requests.count >= count
      case .end(let id): ends[id] != nil
      }
    }

    /// Removes and returns the waiters whose event has happened, or can no longer happen.
    mutating func takeDueWaiters() -> [Waiter] {
      guard !waiters.isEmpty else { return [] }
      let due = waiters.filter { isFinished || hasHappened($0.value.event) }
      for key in due.keys { waiters[key] = nil }
      return Array(due.values)
    }
  }

  private let state: Lock<State>
  private let bodyLimit: Int

  /// - Parameter bodyLimit: The bytes of bodies that are kept in all.
  init(bodyLimit: Int) {
    self.bodyLimit = max(0, bodyLimit)
    state = Lock(State(room: self.bodyLimit))
  }

  var requests: [MockRequest] { state.withLock { $0.requests } }
  var connectionCount: Int { state.withLock { $0.connectionCount } }

  func end(of id: Int) -> MockConnectionEnd? { state.withLock { $0.ends[id] } }

  /// Adds a new connection and returns its id.
  func connectionOpened() -> Int {
    state.withLock { state in
      defer { state.connectionCount += 1 }
      return state.connectionCount
    }
  }

  /// Records the end of a connection; only the first end counts.
  func connection(_ id: Int, endedBy end: MockConnectionEnd) {
    change { $0.ends[id] = $0.ends[id] ?? end }
  }

  /// Removes all requests, so that their bodies make room for others.
  func forgetRequests() {
    state.withLock { state in
      state.requests = []
      state.room = bodyLimit
    }
  }

  /// Adds a request and returns it with its index and its whole body.
  func received(_ message: MockRequestParser.Message, connectionID: Int) -> MockRequest {
    change { state in
      let request = MockRequest(
        method: message.method, target: message.target, headers: message.headers,
        body: message.body, connectionID: connectionID, index: state.requests.count)
      let kept = request.keepingBody(state.room)
      state.room -= kept.body.count
      state.requests.append(kept)
      return request
    }
  }

  /// Records that the server has stopped, and nothing more will happen.
  func finish() {
    change { state in
      for id in 0..<state.connectionCount { state.ends[id] = state.ends[id] ?? .server }
      state.isFinished = true
    }
  }

  func wait(for event: Event) async throws {
    let key = state.withLock { state in
      defer { state.nextWaiter += 1 }
      return state.nextWaiter
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let waiter = Waiter(event: event, continuation: continuation)
        let outcome: Result<Void, any Error>? = state.withLock { state in
          if state.hasHappened(event) { return .success(()) }
          if state.isFinished { return .failure(MockServerError.stopped) }
          // This check sees an earlier cancel; a later cancel finds the waiter.
          if Task.isCancelled { return .failure(CancellationError()) }
          state.waiters[key] = waiter
          return nil
        }
        if let outcome { continuation.resume(with: outcome) }
      }
    } onCancel: {
      let waiter = state.withLock { $0.waiters.removeValue(forKey: key) }
      waiter?.continuation.resume(throwing: CancellationError())
    }
  }

  private func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
    let (result, happened, impossible) = state.withLock { state in
      let result = body(&state)
      let due = state.takeDueWaiters()
      let happened = due.filter { state.hasHappened($0.event) }
      let impossible = due.filter { !state.hasHappened($0.event) }
      return (result, happened, impossible)
    }
    for waiter in happened { waiter.continuation.resume() }
    for waiter in impossible { waiter.continuation.resume(throwing: MockServerError.stopped) }
    return result
  }
}
