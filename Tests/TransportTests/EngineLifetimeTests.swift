import Fixtures
import Foundation
import RESTKitTesting
import Synchronization
import Testing

@testable import HTTPTransport
@testable import RESTKit

@Suite("The ends of an engine's calls")
struct EngineLifetimeTests {
  @Test(
    "A cancel closes the connection, and the completion is never called",
    arguments: EngineKind.allCases)
  func cancel(kind: EngineKind) async throws {
    let gate = MockGate()
    let server = try MockServer { _ in
      MockResponse(
        status: 200, body: patternedBody(1_000), delivery: .paused(afterBytes: 10, until: gate))
    }
    defer { server.stop() }
    let engine = try kind.make()
    let completions = Counter()
    let call = engine.start(EngineRequest(url: server.baseURL)) { _ in completions.add() }
    _ = try await server.received(1)
    #expect(call.cancel())
    #expect(try await server.connectionClosed(0) == .client)
    gate.open()
    #expect(!call.cancel())
    await engine.stop()
    #expect(completions.value == 0)
  }

  @Test("A cancel after the end does nothing", arguments: EngineKind.allCases)
  func cancelLate(kind: EngineKind) async throws {
    let server = try MockServer { _ in .text("ok") }
    defer { server.stop() }
    let engine = try kind.make()
    let held = Mutex<EngineCall?>(nil)
    let result = await withCheckedContinuation { continuation in
      let call = engine.start(EngineRequest(url: server.baseURL)) {
        continuation.resume(returning: $0)
      }
      held.withLock { $0 = call }
    }
    #expect(try result.get().status == 200)
    #expect(held.withLock { $0 }?.cancel() == false)
  }

  @Test("A cancel releases everything that the completion holds", arguments: EngineKind.allCases)
  func cancelReleases(kind: EngineKind) async throws {
    let server = try MockServer { _ in MockResponse(status: 200, delivery: .hang) }
    defer { server.stop() }
    let engine = try kind.make()
    weak var held: Counter?
    let call: EngineCall
    do {
      let counter = Counter()
      held = counter
      call = engine.start(EngineRequest(url: server.baseURL)) { _ in counter.add() }
    }
    #expect(held != nil)
    call.cancel()
    #expect(held == nil)
  }

  @Test(
    "A thousand concurrent calls all succeed, over six connections", arguments: EngineKind.allCases)
  func manyCalls(kind: EngineKind) async throws {
    let server = try MockServer { .text($0.path) }
    defer { server.stop() }
    let engine = try kind.make()
    let wrong = Counter()
    await withCheckedContinuation { continuation in
      let left = Atomic<Int>(1_000)
      for number in 0..<1_000 {
        _ = engine.start(EngineRequest(url: server.baseURL + "/\(number)")) { result in
          if (try? result.get())?.body != Data("/\(number)".utf8) { wrong.add() }
          if left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 {
            continuation.resume()
          }
        }
      }
    }
    #expect(wrong.value == 0)
    #expect(server.requests.count == 1_000)
    // URLSession on Linux now and then replaces a connection that was still good.
    if kind != .urlSession { #expect((1...6).contains(server.connectionCount)) }
  }

  @Test(
    "Each call that is started and cancelled from many threads ends once",
    arguments: EngineKind.allCases)
  func storm(kind: EngineKind) async throws {
    let server = try MockServer { _ in .text("ok") }
    defer { server.stop() }
    let engine = try kind.make()
    let (threads, callsPerThread) = (4, 250)
    let completed = Counter()
    let cancelled = Counter()
    let total = threads * callsPerThread
    let url = server.baseURL
    await withCheckedContinuation { continuation in
      let ended = Atomic<Int>(0)
      let end: @Sendable () -> Void = {
        if ended.add(1, ordering: .acquiringAndReleasing).newValue == total {
          continuation.resume()
        }
      }
      for thread in 0..<threads {
        Thread.detachNewThread {
          for number in 0..<callsPerThread {
            let call = engine.start(EngineRequest(url: url)) { _ in
              completed.add()
              end()
            }
            if (number + thread) % 2 == 0, call.cancel() {
              cancelled.add()
              end()
            }
          }
        }
      }
    }
    await engine.stop()
    #expect(completed.value + cancelled.value == total)
  }

  @Test("Shutdown fails the running and the later calls, once each", arguments: EngineKind.allCases)
  func shutdown(kind: EngineKind) async throws {
    let server = try MockServer { _ in MockResponse(status: 200, delivery: .hang) }
    defer { server.stop() }
    let engine = try kind.make()
    async let running = engine.fault(EngineRequest(url: server.baseURL, method: "POST"))
    _ = try await server.received(1)
    await engine.stop()
    let fault = try #require(await running)
    #expect(fault.kind == .engineUnavailable)
    #expect(fault.mayHaveBeenProcessed)
    #expect(try await server.connectionClosed(0) == .client)
    let later = try #require(await engine.fault(EngineRequest(url: server.baseURL)))
    #expect(later.kind == .engineUnavailable)
    #expect(!later.mayHaveBeenProcessed)
    await engine.stop()
  }

  @Test("Shutdown fails the calls that wait for a connection, as unsent")
  func shutdownWhileWaiting() async throws {
    let server = try MockServer { _ in MockResponse(status: 200, delivery: .hang) }
    defer { server.stop() }
    for kind in EngineKind.allCases {
      let engine = try kind.make(maxConnections: 1)
      async let running = engine.fault(EngineRequest(url: server.baseURL, method: "POST"))
      let count = server.requests.count
      _ = try await server.received(count + 1)
      async let second = engine.fault(EngineRequest(url: server.baseURL, method: "POST"))
      async let third = engine.fault(EngineRequest(url: server.baseURL, method: "POST"))
      await engine.stop()
      let faults = await [second, third]
      #expect(await running?.kind == .engineUnavailable)
      #expect(faults.map(\.?.kind) == [.engineUnavailable, .engineUnavailable])
      if kind != .urlSession {
        #expect(faults.map(\.?.mayHaveBeenProcessed) == [false, false])
      }
    }
  }

  @Test("Releasing an engine during a call ends the call", arguments: EngineKind.allCases)
  func drop(kind: EngineKind) async throws {
    let server = try MockServer { _ in MockResponse(status: 200, delivery: .hang) }
    defer { server.stop() }
    var engine: (any HTTPEngine)? = try kind.make()
    let ends = AsyncStream<TransportError.Kind?> { continuation in
      _ = engine?.start(EngineRequest(url: server.baseURL)) { result in
        if case .failure(let fault) = result { continuation.yield(fault.kind) }
        continuation.finish()
      }
    }
    _ = try await server.received(1)
    engine = nil
    let kinds = await ends.reduce(into: []) { $0.append($1) }
    #expect(kinds == [.engineUnavailable])
    #expect(try await server.connectionClosed(0) == .client)
  }

  @Test("A completion may start the next call", arguments: EngineKind.allCases)
  func chain(kind: EngineKind) async throws {
    let server = try MockServer { _ in .text("ok") }
    defer { server.stop() }
    let engine = try kind.make(maxConnections: 1)
    let url = server.baseURL
    let status = await withCheckedContinuation { continuation in
      _ = engine.start(EngineRequest(url: url)) { [weak engine] _ in
        _ = engine?.start(EngineRequest(url: url)) { result in
          continuation.resume(returning: (try? result.get())?.status)
        }
      }
    }
    #expect(status == 200)
    #expect(server.connectionCount == 1)
  }
}
