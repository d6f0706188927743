import Fixtures
import Foundation
import RESTKitTesting
import Synchronization
import Testing

@testable import HTTPTransport
@testable import RESTKit

@Suite("A subscriber that does not return", .timeLimit(.minutes(10)))
struct BlockedSubscriberTests {
  private func makeServer(_ gate: MockGate? = nil) throws -> MockServer {
    try MockServer { request in
      switch request.path {
      case "/hang": return MockResponse(status: 200, delivery: .hang)
      case "/paused":
        guard let gate else { return .text("no gate", status: 500) }
        return MockResponse(
          status: 200, body: patternedBody(1_000), delivery: .paused(afterBytes: 10, until: gate))
      default: return .text(request.path)
      }
    }
  }

  /// Makes so many calls at once, whole ones and in pieces, and expects a response to each.
  private func expectResponses(
    _ count: Int, of server: MockServer, over engine: any HTTPEngine
  ) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<count {
        let url = server.baseURL + "/\(number)"
        group.addTask {
          let body =
            number.isMultiple(of: 2)
            ? try await engine.response(EngineRequest(url: url)).body
            : try await engine.body(inPieces: url)
          #expect(body == Data("/\(number)".utf8))
        }
      }
      try await group.waitForAll()
    }
  }

  @Test(
    "A blocked subscriber delays no other call, whole or in pieces", arguments: EngineKind.allCases,
    [true, false])
  func one(kind: EngineKind, inPieces: Bool) async throws {
    let server = try makeServer()
    defer { server.stop() }
    let engine = try kind.make()
    try await Door.around { door in
      let visitor = Visitor(door)
      let call = engine.start(server.baseURL + "/blocked", inPieces: inPieces, visitor.receive)
      #expect(await visitor.hasArrived())
      try await expectResponses(50, of: server, over: engine)
      #expect(call.isPending == inPieces)
      door.open()
      #expect(try await visitor.end()?.get().status == 200)
    }
  }

  @Test(
    "Twelve blocked subscribers delay neither other calls, nor their cancels, nor their deadlines",
    arguments: EngineKind.allCases)
  func twelve(kind: EngineKind) async throws {
    try await expectOthersToGoOn(behind: 12, kind)
  }

  @Test("URLSession continues behind thirty-two blocked subscribers")
  func many() async throws {
    try await expectOthersToGoOn(behind: 32, .urlSession)
  }

  private func expectOthersToGoOn(behind count: Int, _ kind: EngineKind) async throws {
    let server = try makeServer()
    defer { server.stop() }
    let engine = try kind.make(maxConnections: 2 * count)
    try await Door.around { door in
      let visitors = (0..<count).map { _ in Visitor(door) }
      for (number, visitor) in visitors.enumerated() {
        _ = engine.start(
          server.baseURL + "/blocked", inPieces: number.isMultiple(of: 2), visitor.receive)
      }
      for visitor in visitors { #expect(await visitor.hasArrived()) }
      try await expectResponses(20, of: server, over: engine)

      let answered = server.requests.count
      let running = engine.start(EngineRequest(url: server.baseURL + "/hang")) { _ in }
      let request = try #require(try await server.received(answered + 1).last)
      #expect(running.cancel())
      #expect(try await server.connectionClosed(request.connectionID) == .client)

      var late = EngineRequest(url: server.baseURL + "/hang")
      late.timeout = .milliseconds(50)
      #expect(await engine.fault(late)?.kind == .timedOut)

      door.open()
      for visitor in visitors { #expect(try await visitor.end()?.get().status == 200) }
    }
  }

  @Test(
    "A cancel of the blocked call closes the connection, and releases the waiting events",
    arguments: EngineKind.allCases)
  func cancel(kind: EngineKind) async throws {
    let gate = MockGate()
    let server = try makeServer(gate)
    defer { server.stop() }
    let engine = try kind.make()
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    try await Door.around { door in
      let visitor = Visitor(door)
      let call = engine.start(server.baseURL + "/paused", inPieces: true) {
        [witness = Witness { end.yield() }] signal in
        withExtendedLifetime(witness) { visitor.receive(signal) }
      }
      let id = try await server.received(1)[0].connectionID
      #expect(await visitor.hasArrived())
      #expect(call.cancel())
      #expect(try await server.connectionClosed(id) == .client)
      #expect(!call.cancel())
      gate.open()
      try await expectResponses(5, of: server, over: engine)
      door.open()
      await engine.stop()
      // After its release the subscriber is not called any more.
      for await _ in ends { break }
      #expect(visitor.count == 1)
    }
  }

  @Test(
    "A shutdown ends the other calls at once, and the blocked call when it returns",
    arguments: EngineKind.allCases)
  func shutdown(kind: EngineKind) async throws {
    let gate = MockGate()
    let server = try makeServer(gate)
    defer { server.stop() }
    let engine = try kind.make()
    let (stops, stop) = AsyncStream.makeStream(of: Void.self)
    try await Door.around { door in
      let visitor = Visitor(door)
      _ = engine.start(server.baseURL + "/paused", inPieces: true, visitor.receive)
      #expect(await visitor.hasArrived())
      async let running = engine.fault(EngineRequest(url: server.baseURL + "/hang"))
      _ = try await server.received(2)
      engine.shutdown { stop.yield() }
      #expect(await running?.kind == .engineUnavailable)
      let later = await engine.fault(EngineRequest(url: server.baseURL))
      #expect(later?.kind == .engineUnavailable)
      door.open()
      let own = try #require(await visitor.end())
      #expect(throws: TransportError.self) { try own.get() }
      for await _ in stops { break }
    }
  }

  @Test(
    "The signals of a call keep their order, one at a time, while its subscriber is slow",
    arguments: EngineKind.allCases)
  func slow(kind: EngineKind) async throws {
    let body = patternedBody(300_000)
    let server = try MockServer { request in
      request.path == "/slow" ? MockResponse(status: 200, body: body) : .text(request.path)
    }
    defer { server.stop() }
    let engine = try kind.make()
    try await Door.around { door in
      let visitor = Visitor(door)
      _ = engine.start(server.baseURL + "/slow", inPieces: true, visitor.receive)
      while !visitor.hasEnded {
        try await expectResponses(2, of: server, over: engine)
        door.letOnePass()
      }
      let signals = visitor.signals
      guard case .event(.head(let head)) = signals.first, case .end(.success) = signals.last else {
        Issue.record("\(signals.first as Any) to \(signals.last as Any)")
        return
      }
      #expect(head.status == 200)
      let chunks = signals.compactMap { signal in
        if case .event(.chunk(let data)) = signal { data } else { nil }
      }
      #expect(chunks.count == signals.count - 2)
      #expect(chunks.reduce(Data(), +) == body)
      #expect(visitor.overlaps == 0)
    }
  }

  @Test(
    "On URLSession, which cannot pause, the events waiting for a blocked subscriber are limited")
  func limit() async throws {
    let gate = MockGate()
    // Wanted bytes have room of 4 MiB beside the limit.
    let enough = (4 << 20) + 2_000_000
    let server = try MockServer { request in
      guard request.path == "/large" else { return .text(request.path) }
      return MockResponse(
        status: 200, body: Data(count: enough + 1),
        delivery: .paused(afterBytes: enough, until: gate))
    }
    defer { server.stop() }
    let engine = try EngineKind.urlSession.make(maxBodyBytes: 1_000_000)
    try await Door.around { door in
      let visitor = Visitor(door)
      _ = engine.start(server.baseURL + "/large", inPieces: true, visitor.receive)
      #expect(await visitor.hasArrived())
      #expect(try await server.connectionClosed(0) == .client)
      try await expectResponses(2, of: server, over: engine)
      door.open()
      guard case .failure(let fault) = await visitor.end() else {
        Issue.record("The call ended without a fault.")
        return
      }
      #expect(fault.kind == .limitExceeded(.bodyBytes))
      #expect(fault.statusCode == 200)
      // A delivery thread that begins late finds nothing but the end.
      #expect(1...2 ~= visitor.count)
    }
  }
}

/// The events that the subscriber of a call receives.
private enum CallSignal: Sendable {
  case event(EngineEvent)
  case end(Result<EngineResponse, TransportError>)
}

extension HTTPEngine {
  /// Starts a call whose signals all go to one subscriber.
  fileprivate func start(
    _ url: String, inPieces: Bool, _ subscriber: @escaping @Sendable (CallSignal) -> Void
  ) -> EngineCall {
    var request = EngineRequest(url: url)
    if inPieces {
      request.onEvent = { event in
        subscriber(.event(event))
        return .more
      }
    }
    return start(request) { subscriber(.end($0)) }
  }

  /// The body of a response that comes in pieces.
  fileprivate func body(inPieces url: String) async throws -> Data {
    let pieces = Pieces()
    return try await withCheckedContinuation {
      (continuation: CheckedContinuation<Result<Data, TransportError>, Never>) in
      _ = start(url, inPieces: true) { signal in
        switch signal {
        case .event(.chunk(let data)): pieces.add(data)
        case .event: break
        case .end(let result): continuation.resume(returning: result.map { _ in pieces.data })
        }
      }
    }.get()
  }
}

/// The pieces of a body.
private final class Pieces: Sendable {
  private let body = Mutex(Data())

  var data: Data { body.withLock { $0 } }
  func add(_ piece: Data) { body.withLock { $0 += piece } }
}

/// A subscriber that waits before a door with each of its signals.
private final class Visitor: Sendable {
  private let door: Door
  private let told = Mutex<[CallSignal]>([])
  private let isInside = Atomic(false)
  private let overlapping = Counter()
  private let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
  private let (ends, ended) = AsyncStream.makeStream(
    of: Result<EngineResponse, TransportError>.self)

  init(_ door: Door) { self.door = door }

  /// The arrivals at the door, in order.
  var signals: [CallSignal] { told.withLock { $0 } }
  var count: Int { signals.count }
  /// How many signals came while another was there.
  var overlaps: Int { overlapping.value }
  /// Whether the end is at the door, or behind it.
  var hasEnded: Bool { if case .end = signals.last { true } else { false } }

  func receive(_ signal: CallSignal) {
    if isInside.exchange(true, ordering: .acquiringAndReleasing) { overlapping.add() }
    told.withLock { $0.append(signal) }
    arrived.yield()
    door.pass()
    isInside.store(false, ordering: .releasing)
    if case .end(let result) = signal { ended.yield(result) }
  }

  /// Waits until a signal is at the door; false where the test is out of time.
  func hasArrived() async -> Bool {
    for await _ in arrivals { return true }
    return false
  }

  /// Waits for the end behind the door; nil where the test is out of time.
  func end() async -> Result<EngineResponse, TransportError>? {
    for await end in ends { return end }
    return nil
  }
}
