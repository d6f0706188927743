import Fixtures
import Foundation
import Streams
import Testing

@testable import HTTPTransport
@testable import RESTKit

/// The events that a buffer delivers, in words, and its pauses.
final class BufferedLines: Sendable {
  private struct State {
    var lines: [String] = []
    var wishes: [Subscribers.Demand] = []
    var during: (@Sendable () -> Void)?
  }

  private let state = Lock(State())

  /// What was told since the last look.
  func take() -> [String] {
    state.withLock { state in
      defer { state.lines = [] }
      return state.lines
    }
  }

  func add(_ line: String) { state.withLock { $0.lines.append(line) } }

  /// Wants more after the next events.
  func want(_ wishes: Subscribers.Demand...) { state.withLock { $0.wishes = wishes } }

  /// Runs work while the next event is delivered.
  func during(_ work: @escaping @Sendable () -> Void) { state.withLock { $0.during = work } }

  func receive(_ event: EngineEvent) -> Subscribers.Demand {
    switch event {
    case .sent(let count): add("sent \(count)")
    case .head(let head): add("head \(head.status)")
    case .chunk(let data): add("chunk \(data.count)")
    }
    let work = state.withLock { $0.during.take() }
    work?()
    return state.withLock { $0.wishes.isEmpty ? .none : $0.wishes.removeFirst() }
  }

  func makeBuffer(
    _ demand: Subscribers.Demand = .none, readAhead: (any ReadAhead)? = nil, limit: Int? = nil
  ) -> EventBuffer {
    let buffer = EventBuffer(readAhead: readAhead) { [self] in receive($0) }
    let pausing = EventBuffer.Overflow.pauses(resume: { [self] in add("resume") })
    buffer.begin(limit.map { EventBuffer.Overflow.fails(limit: $0) } ?? pausing)
    if demand > .none { buffer.request(demand) }
    return buffer
  }

  /// A call that tells its end.
  func makeCall() -> EngineCall {
    EngineCall(
      completion: { [self] result in
        switch result {
        case .success: add("end")
        case .failure(let fault): add("\(fault.kind)")
        }
      }, onCancel: { _ in })
  }
}

extension EventBuffer {
  /// Adds a chunk, and returns whether the engine must deliver.
  @discardableResult
  func append(_ size: Int) -> Reply { append(.chunk(Data(count: size))) }
}

@Suite("The events of a call between its engine and its subscriber")
struct EventBufferTests {
  private let lines = BufferedLines()
  private let mark = 128 << 10
  private let turn = 4 << 20
  private let head = EngineEvent.head(EngineHead(status: 206, httpVersion: "", headers: [:]))

  private var success: Result<EngineResponse, TransportError> {
    .success(
      EngineResponse(
        head: EngineHead(status: 200, httpVersion: "", headers: [:]), trailers: [:], body: Data(),
        timings: ExchangeMetrics()))
  }

  // MARK: Order and demand

  @Test("Each event uses one demand, in order; the end follows the last one and needs none")
  func demand() {
    let buffer = lines.makeBuffer()
    for event in [.sent(1), head, .chunk(Data(count: 3))] {
      #expect(buffer.append(event) == .init(mustDeliver: false, flow: .more))
    }
    #expect(!buffer.finish(success, of: lines.makeCall()))
    buffer.request(.max(2))
    #expect(lines.take() == ["sent 1", "head 206"])
    buffer.request(.max(1))
    #expect(lines.take() == ["chunk 3", "end"])
  }

  @Test("The demand that follows from an event counts")
  func demandOfEvent() {
    let buffer = lines.makeBuffer()
    for size in 1...4 { buffer.append(size) }
    lines.want(.max(2), .none)
    buffer.request(.max(1))
    #expect(lines.take() == ["chunk 1", "chunk 2", "chunk 3"])
  }

  @Test("The engine is called once for wanted events, and delivers all that came until then")
  func call() {
    let buffer = lines.makeBuffer(.unlimited)
    #expect(buffer.append(1).mustDeliver)
    #expect(!buffer.append(2).mustDeliver)
    #expect(!buffer.finish(success, of: lines.makeCall()))
    #expect(lines.take() == [])
    buffer.deliver()
    #expect(lines.take() == ["chunk 1", "chunk 2", "end"])
    buffer.deliver()
    #expect(lines.take() == [])
  }

  @Test("After a delivery the engine is called anew")
  func callAnew() {
    let buffer = lines.makeBuffer(.unlimited)
    for size in 1...2 {
      #expect(buffer.append(size).mustDeliver)
      buffer.deliver()
    }
    #expect(buffer.finish(success, of: lines.makeCall()))
    buffer.deliver()
    #expect(lines.take() == ["chunk 1", "chunk 2", "end"])
  }

  @Test("A thread that delivers one event at a time knows whether to come again")
  func oneByOne() {
    let buffer = lines.makeBuffer(.max(2))
    for size in 1...3 { buffer.append(size) }
    #expect(buffer.deliverOne())
    #expect(lines.take() == ["chunk 1"])
    #expect(!buffer.deliverOne())
    #expect(!buffer.deliverOne())
    #expect(lines.take() == ["chunk 2"])
    _ = buffer.finish(success, of: lines.makeCall())
    buffer.request(.max(1))
    #expect(lines.take() == ["chunk 3", "end"])
    #expect(!buffer.deliverOne())
  }

  @Test(
    "What comes or is requested during a delivery is delivered by the same thread, without recursion",
    arguments: [false, true])
  func during(isOne: Bool) {
    let buffer = lines.makeBuffer(.max(1))
    buffer.append(1)
    lines.during { [lines] in
      #expect(!buffer.append(2).mustDeliver)
      buffer.request(.max(2))
      buffer.deliver()
      #expect(!buffer.deliverOne())
      #expect(!buffer.finish(.failure(.engineClosed), of: lines.makeCall()))
      #expect(lines.take() == ["chunk 1"])
    }
    if isOne {
      while buffer.deliverOne() {}
    } else {
      buffer.deliver()
    }
    #expect(lines.take() == ["chunk 2", "engineUnavailable"])
  }

  @Test("Nothing is delivered after the end, and of two ends the first one counts")
  func behindTheEnd() {
    let buffer = lines.makeBuffer(.unlimited)
    #expect(buffer.finish(.failure(.engineClosed), of: lines.makeCall()))
    #expect(!buffer.finish(success, of: lines.makeCall()))
    #expect(buffer.append(3) == .init())
    buffer.deliver()
    #expect(lines.take() == ["engineUnavailable"])
    buffer.append(3)
    #expect(!buffer.finish(success, of: lines.makeCall()))
    buffer.request(.unlimited)
    #expect(lines.take() == [])
  }

  @Test("Of many waiting progress events only the latest is delivered; few are all delivered")
  func progress() {
    let buffer = lines.makeBuffer()
    for count: Int64 in 1...1_000 { _ = buffer.append(.sent(count)) }
    _ = buffer.append(head)
    for count: Int64 in 1_001...2_000 { _ = buffer.append(.sent(count)) }
    buffer.append(3)
    _ = buffer.append(.sent(2_001))
    buffer.request(.unlimited)
    let steps = (1...15).map { "sent \($0)" }
    #expect(
      lines.take() == steps + ["sent 1000", "head 206", "sent 2000", "chunk 3", "sent 2001"])
  }

  // MARK: Too much

  @Test("The engine is paused beyond 128 KiB of waiting bytes, and resumed once when none wait")
  func pause() {
    let buffer = lines.makeBuffer()
    #expect(buffer.append(mark).flow == .more)
    #expect(buffer.append(1).flow == .pause)
    buffer.request(.max(1))
    #expect(buffer.append(.sent(1)).flow == .pause)
    buffer.request(.max(1))
    #expect(lines.take() == ["chunk \(mark)", "chunk 1"])
    buffer.request(.max(1))
    #expect(lines.take() == ["sent 1", "resume"])
    buffer.request(.unlimited)
    #expect(lines.take() == [])
    #expect(buffer.append(1).flow == .more)
  }

  @Test("Wanted bytes pause the engine only beyond what a turn may add")
  func wanted() {
    let buffer = lines.makeBuffer(.max(3))
    #expect(buffer.append(turn).flow == .more)
    #expect(buffer.append(1).flow == .pause)
    buffer.deliver()
    #expect(lines.take() == ["chunk \(turn)", "chunk 1", "resume"])
    #expect(buffer.append(mark).flow == .more)
    // No demand is left for this one.
    #expect(buffer.append(1).flow == .pause)
  }

  @Test(
    "While a subscriber takes long with an event, the rest may have 128 KiB, despite its demand")
  func blocked() {
    let buffer = lines.makeBuffer(.unlimited)
    buffer.append(1)
    lines.during { [mark] in
      #expect(buffer.append(mark).flow == .more)
      #expect(buffer.append(1).flow == .pause)
    }
    buffer.deliver()
    #expect(lines.take() == ["chunk 1", "chunk \(mark)", "chunk 1", "resume"])
  }

  @Test("An engine that is done is not resumed")
  func done() {
    let buffer = lines.makeBuffer()
    #expect(buffer.append(mark + 1).flow == .pause)
    _ = buffer.finish(success, of: lines.makeCall())
    buffer.request(.max(1))
    #expect(lines.take() == ["chunk \(mark + 1)", "end"])
  }

  @Test("An engine that cannot pause must end the call beyond its limit, and what waits is dropped")
  func limit() {
    let buffer = lines.makeBuffer(limit: 100)
    #expect(buffer.append(100).flow == .more)
    #expect(buffer.append(1).flow == .stop)
    _ = buffer.finish(.failure(.engineClosed), of: lines.makeCall())
    buffer.deliver()
    #expect(lines.take() == ["engineUnavailable"])
  }

  @Test("Wanted bytes have more room: a thread may be late, or a subscriber in an event")
  func limitOfWanted() {
    let buffer = lines.makeBuffer(.max(1), limit: 100)
    #expect(buffer.append(turn + 100).flow == .more)
    lines.during { [turn] in
      #expect(buffer.append(turn + 100).flow == .more)
      #expect(buffer.append(1).flow == .stop)
    }
    buffer.deliver()
    #expect(lines.take() == ["chunk \(turn + 100)"])
  }

  @Test("Beyond the limit nothing is added, and what waits is released without the lock")
  func released() {
    let buffer = lines.makeBuffer(limit: 100)
    func makeChunk(_ size: Int) -> EngineEvent {
      let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 1)
      return .chunk(
        Data(
          bytesNoCopy: memory, count: size,
          deallocator: .custom { [lines, weak buffer] memory, _ in
            // Under the lock this would end the process.
            #expect(buffer?.append(1).flow == .more)
            lines.add("released")
            memory.deallocate()
          }))
    }
    #expect(buffer.append(makeChunk(100)).flow == .more)
    for _ in 1...2 { #expect(buffer.append(1).flow == .stop) }
    #expect(lines.take() == [])
    buffer.close()
    #expect(lines.take() == ["released"])
  }

  // MARK: Close

  @Test("A closed buffer delivers nothing and holds nothing")
  func close() {
    let freed = Counter()
    weak var held: Counter?
    let buffer: EventBuffer
    do {
      let counter = Counter()
      held = counter
      buffer = EventBuffer { _ in
        counter.add()
        return .none
      }
    }
    _ = buffer.append(.chunk(.watched(freed)))
    _ = buffer.finish(success, of: lines.makeCall())
    #expect(held != nil)
    do {
      let content = buffer.close()
      #expect(!content.isEmpty)
      withExtendedLifetime(content) { #expect(freed.value == 0) }
    }
    #expect(freed.value == 1)
    #expect(held == nil)
    #expect(buffer.close().isEmpty)
    #expect(buffer.append(1) == .init())
    buffer.request(.unlimited)
    #expect(lines.take() == [])
  }

  @Test("A cancel from inside a delivery ends it", arguments: [false, true])
  func closeDuring(isOne: Bool) {
    let buffer = lines.makeBuffer(.unlimited)
    for size in 1...2 { buffer.append(size) }
    _ = buffer.finish(success, of: lines.makeCall())
    lines.during { _ = buffer.close() }
    if isOne { #expect(!buffer.deliverOne()) } else { buffer.deliver() }
    #expect(lines.take() == ["chunk 1"])
  }

  @Test("The end releases the subscriber")
  func releaseAtEnd() {
    weak var held: Counter?
    let buffer: EventBuffer
    do {
      let counter = Counter()
      held = counter
      buffer = EventBuffer { _ in
        counter.add()
        return .none
      }
    }
    _ = buffer.finish(success, of: lines.makeCall())
    #expect(held != nil)
    buffer.deliver()
    #expect(held == nil)
  }

  // MARK: Threads

  @Test("Two engines' threads and a requesting one deliver everything once, in order")
  func threads() async {
    let count: Int64 = 2_000
    let seen = Lock((last: Int64(0), isInOrder: true))
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    let buffer = EventBuffer { event in
      guard case .sent(let number) = event else { return .none }
      seen.withLock { $0 = (number, $0.isInOrder && number == $0.last + 1) }
      return .none
    }
    buffer.begin(.pauses(resume: {}))
    let call = EngineCall(completion: { _ in end.yield() }, onCancel: { _ in })
    Thread.detachNewThread {
      for number in 1...count {
        // A head in between, so that no progress is merged.
        if buffer.append(.head(EngineHead(status: 200, httpVersion: "", headers: [:]))).mustDeliver
        {
          Thread.detachNewThread { buffer.deliver() }
        }
        if buffer.append(.sent(number)).mustDeliver {
          if number.isMultiple(of: 2) {
            while buffer.deliverOne() {}
          } else {
            buffer.deliver()
          }
        }
      }
      if buffer.finish(.failure(.engineClosed), of: call) { buffer.deliver() }
    }
    Thread.detachNewThread { for _ in 0..<2 * count { buffer.request(.max(1)) } }
    for await _ in ends { break }
    #expect(seen.withLock { $0.last == count && $0.isInOrder })
  }
}

extension Data {
  /// Bytes that count when they are freed.
  static func watched(_ freed: Counter) -> Data {
    let bytes = UnsafeMutableRawPointer.allocate(byteCount: 4_096, alignment: 1)
    bytes.initializeMemory(as: UInt8.self, repeating: 0, count: 4_096)
    return Data(
      bytesNoCopy: bytes, count: 4_096,
      deallocator: .custom { bytes, _ in
        bytes.deallocate()
        freed.add()
      })
  }
}
