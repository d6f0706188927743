import Foundation
import Streams

/// The state that a server's threads share.
///
/// The threads own it, and not the `MockServer`. So the release of the server stops them.
final class MockServerCore: Sendable {
  let port: UInt16
  let journal: MockJournal
  /// A latch that opens when the server stops, and ends every wait of every thread.
  let stopLatch: MockLatch

  private let listener: MockSocket
  private let handler: MockServer.Handler
  private let early: MockServer.EarlyHandler?
  private let connections = Lock<[Int: MockSocket]>([:])
  /// The threads that ``stop()`` waits for: all but those inside the handler.
  private let threads = DispatchGroup()

  init(
    port: UInt16, bodyLimit: Int, early: MockServer.EarlyHandler?,
    handler: @escaping MockServer.Handler
  ) throws(MockServerError) {
    journal = MockJournal(bodyLimit: bodyLimit)
    stopLatch = try MockLatch()
    listener = try MockSocket.listening(onPort: port)
    self.port = try listener.localPort()
    self.handler = handler
    self.early = early
  }

  func start() {
    spawn { core in
      core.acceptConnections()
      core.listener.end()
    }
  }

  func stop() {
    stopLatch.open()
    journal.finish()
    for socket in connections.withLock({ Array($0.values) }) { socket.shutDown() }
    threads.wait()
  }

  /// Returns the handler's response; ``stop()`` does not wait for the thread meanwhile.
  ///
  /// A handler may block until ``stop()`` returns, or call it.
  func response(to request: MockRequest) -> MockResponse {
    threads.leave()
    defer { threads.enter() }
    return handler(request)
  }

  /// Returns the early response to a request, or nil to wait for its body.
  func earlyResponse(
    to message: MockRequestParser.Message, connectionID: Int
  ) -> MockResponse? {
    guard let early else { return nil }
    let request = MockRequest(
      method: message.method, target: message.target, headers: message.headers,
      connectionID: connectionID, index: journal.requests.count)
    threads.leave()
    defer { threads.enter() }
    return early(request)
  }

  private func acceptConnections() {
    while true {
      switch listener.acceptOne() {
      case .socket(let socket):
        serve(socket)
      case .wouldBlock:
        if listener.wait(for: POLLIN, or: [stopLatch]) != .ready { return }
      case .exhausted:
        // The listener stays ready, so only a pause keeps this loop from spinning until a
        // descriptor is free.
        if listener.wait(for: 0, or: [stopLatch], milliseconds: 10) == .latch(0) { return }
      }
    }
  }

  private func serve(_ socket: MockSocket) {
    let id = journal.connectionOpened()
    connections.withLock { $0[id] = socket }
    spawn { core in
      var connection = MockConnection(id: id, socket: socket, core: core)
      let end = connection.run()
      core.connections.withLock { $0[id] = nil }
      core.journal.connection(id, endedBy: end)
    }
  }

  private func spawn(_ body: @escaping @Sendable (MockServerCore) -> Void) {
    threads.enter()
    Thread.detachNewThread { [self] in
      body(self)
      threads.leave()
    }
  }
}
