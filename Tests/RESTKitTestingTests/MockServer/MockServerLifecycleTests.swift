import Foundation
import RESTKitTesting
import Synchronization
import Testing

@Suite("MockServer starts, waits and stops", .timeLimit(.minutes(10)))
struct MockServerLifecycleTests {
  private let request = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"

  @Test func `The base URL has the port`() throws {
    let server = try MockServer { _ in .text("") }
    #expect(server.port != 0)
    #expect(server.baseURL == "http://127.0.0.1:\(server.port)")
  }

  @Test func `A port in use is an error that names it, and stop releases the port`() throws {
    // Below the ports that systems pick, so that no other test's server takes it in between.
    var found: MockServer?
    for port in UInt16(20_011)...20_100 where found == nil {
      found = try? MockServer(port: port) { _ in .text("") }
    }
    let server = try #require(found)
    let client = try RawClient(to: server.port)
    _ = try client.get("/")
    let error = #expect(throws: MockServerError.self) {
      _ = try MockServer(port: server.port) { _ in .text("") }
    }
    let reason = String(cString: strerror(EADDRINUSE))
    #expect(error == .cannotStart(step: "bind to 127.0.0.1:\(server.port)", reason: reason))
    #expect(error?.localizedDescription.contains(reason) == true)
    server.stop()
    for round in 1...20 {
      let again = try MockServer(port: server.port) { _ in .text("\(round)") }
      #expect(try RawClient(to: again.port).get("/").text == "\(round)")
      again.stop()
    }
  }

  @Test func `Stop closes idle connections and may be called twice`() async throws {
    let server = try MockServer { _ in .text("x") }
    let client = try RawClient(to: server.port)
    _ = try client.get("/")
    server.stop()
    server.stop()
    #expect(try client.readToEnd() == ("", .closed))
    #expect(try await server.connectionClosed(0) == .server)
    #expect(server.requests.count == 1)
  }

  @Test func `A server that is released stops`() throws {
    var server: MockServer? = try MockServer { _ in .text("x") }
    let client = try RawClient(to: #require(server?.port))
    _ = try client.get("/")
    server = nil
    #expect(try client.readToEnd() == ("", .closed))
  }

  @Test func `Stop ends a response that the client does not read`() async throws {
    let server = try MockServer { _ in MockResponse(status: 200, body: Data(count: 64 << 20)) }
    let client = try RawClient(to: server.port)
    try client.send(request)
    _ = try client.readExactly(1)
    server.stop()
    #expect(try await server.connectionClosed(0) == .server)
  }

  @Test func `Stop does not wait for a handler that still runs`() throws {
    let entered = DispatchSemaphore(value: 0)
    let mayLeave = DispatchSemaphore(value: 0)
    let server = try MockServer { _ in
      entered.signal()
      mayLeave.wait()
      return .text("late")
    }
    let client = try RawClient(to: server.port)
    try client.send(request)
    entered.wait()
    server.stop()
    #expect(try client.readToEnd().text == "")
    mayLeave.signal()
  }

  @Test func `A handler may stop its own server`() throws {
    let holder = Holder()
    let server = try MockServer { _ in
      holder.server?.stop()
      return .text("never sent")
    }
    holder.server = server
    defer { holder.server = nil }
    let client = try RawClient(to: server.port)
    try client.send(request)
    #expect(try client.readToEnd().text == "")
  }

  @Test func `Waiting for requests that have arrived returns at once`() async throws {
    let server = try MockServer { _ in .text("x") }
    let client = try RawClient(to: server.port)
    for path in ["/a", "/b", "/c"] { _ = try client.get(path) }
    #expect(try await server.received(2).map(\.path) == ["/a", "/b"])
    #expect(try await server.received(0).isEmpty)
  }

  @Test func `Waiting ends when the last awaited request arrives`() async throws {
    let server = try MockServer { _ in .text("x") }
    async let waited = server.received(2)
    let client = try RawClient(to: server.port)
    _ = try client.get("/a")
    _ = try client.get("/b")
    #expect(try await waited.map(\.path) == ["/a", "/b"])
  }

  @Test func `Waiting for a request that a stopped server missed is an error`() async throws {
    let server = try MockServer { _ in .text("x") }
    let waiting = Task { try await server.received(1) }
    server.stop()
    await #expect(throws: MockServerError.stopped) { try await waiting.value }
    await #expect(throws: MockServerError.stopped) { try await server.connectionClosed(0) }
  }

  @Test func `A cancelled wait ends with CancellationError`() async throws {
    let server = try MockServer { _ in .text("x") }
    let waiting = Task { try await server.received(1) }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    _ = try RawClient(to: server.port).get("/")
    #expect(try await server.received(1).count == 1)
  }

  @Test func `The server notices a client's close between requests`() async throws {
    let server = try MockServer { _ in .text("x") }
    let client = try RawClient(to: server.port)
    _ = try client.get("/")
    client.hangUp()
    #expect(try await server.connectionClosed(0) == .client)
  }

  @Test func `Every thread with its own connection receives its responses`() async throws {
    let server = try MockServer { .text($0.target) }
    let wrong = await withTaskGroup(of: Int.self) { group in
      for thread in 0..<8 {
        group.addTask {
          await onThread {
            (0..<50).filter { round in
              let target = "/\(thread)/\(round)"
              let client = try? RawClient(to: server.port)
              return (0..<4).contains { _ in (try? client?.get(target).text) != target }
            }.count
          }
        }
      }
      return await group.reduce(0, +)
    }
    #expect(wrong == 0)
    #expect(server.requests.count == 8 * 50 * 4)
    #expect(server.requests.map(\.index) == Array(0..<(8 * 50 * 4)))
    for id in 0..<server.connectionCount {
      #expect(try await server.connectionClosed(id) == .client)
    }
  }

  @Test func `Stop can race with new connections and requests`() async throws {
    for _ in 0..<20 {
      let server = try MockServer { _ in .text("x") }
      async let clients: Void = onThread {
        while let client = try? RawClient(to: server.port), (try? client.get("/")) != nil {}
      }
      try await server.received(3)
      server.stop()
      await clients
    }
  }
}

/// Runs blocking code away from the tasks' threads.
private func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
  await withCheckedContinuation { continuation in
    Thread.detachNewThread {
      continuation.resume(returning: body())
    }
  }
}

/// Lets a handler reach the server that it was made for.
private final class Holder: Sendable {
  private let stored = Mutex<MockServer?>(nil)

  var server: MockServer? {
    get { stored.withLock { $0 } }
    set { stored.withLock { $0 = newValue } }
  }
}
