import Fixtures
import Foundation
import Streams
import Testing

@testable import HTTPTransport
@testable import RESTKit

@Suite("The events of a call for a task that reads ahead")
struct EventBufferReadAheadTests {
  /// Stands for a task that reads ahead.
  private final class Reader: ReadAhead {
    private struct State {
      var asked = 0
      var takesAtOnce = false
      var whenTaken: (@Sendable () -> Void)?
    }

    private let state = Lock(State())

    var asked: Int { state.withLock { $0.asked } }

    /// - Parameter takesAtOnce: Whether the values are taken before the response arrives.
    init(takesAtOnce: Bool = false) { state.withLock { $0.takesAtOnce = takesAtOnce } }

    func isAhead(whenTaken: @escaping @Sendable () -> Void) -> Bool {
      let isTaken = state.withLock { state in
        state.asked += 1
        if !state.takesAtOnce { state.whenTaken = whenTaken }
        return state.takesAtOnce
      }
      if isTaken { whenTaken() }
      return true
    }

    /// Takes all values.
    func take() {
      let whenTaken = state.withLock { $0.whenTaken.take() }
      whenTaken?()
    }
  }

  private let lines = BufferedLines()
  private let most = 128 << 10

  private func makeBuffer(
    _ reader: Reader, _ sizes: Int..., demand: Subscribers.Demand = .unlimited, limit: Int? = nil
  ) -> EventBuffer {
    let buffer = lines.makeBuffer(readAhead: reader, limit: limit)
    for size in sizes { buffer.append(size) }
    buffer.request(demand)
    return buffer
  }

  @Test("Beyond 128 KiB, but not at 128 KiB, the task is asked whether it has taken its events")
  func mark() {
    let reader = Reader()
    let buffer = makeBuffer(reader, most, 1, demand: .max(2))
    #expect(lines.take() == ["chunk \(most)", "chunk 1", "resume"])
    #expect(reader.asked == 0)
    buffer.append(2)
    #expect(reader.asked == 0)
    buffer.request(.max(1))
    #expect(reader.asked == 1)
    #expect(lines.take() == [])
  }

  @Test(
    "The task is asked once, and gets nothing more, not even the end, until it has taken everything"
  )
  func held() {
    let reader = Reader()
    let buffer = makeBuffer(reader, most + 1, 2)
    #expect(lines.take() == ["chunk \(most + 1)"])
    #expect(buffer.append(3) == .init(mustDeliver: false, flow: .pause))
    #expect(!buffer.finish(.failure(.engineClosed), of: lines.makeCall()))
    buffer.deliver()
    #expect(!buffer.deliverOne())
    #expect(lines.take() == [])
    #expect(reader.asked == 1)
    reader.take()
    #expect(lines.take() == ["chunk 2", "chunk 3", "engineUnavailable"])
  }

  @Test("A task that takes everything before its response arrives gets the rest")
  func takenBeforeResponse() {
    let reader = Reader(takesAtOnce: true)
    let buffer = makeBuffer(reader, most + 1, 2)
    #expect(lines.take() == ["chunk \(most + 1)", "chunk 2", "resume"])
    withExtendedLifetime(buffer) {}
  }

  @Test("After it has taken everything, the task may have 128 KiB more before the next question")
  func again() {
    let reader = Reader()
    let buffer = makeBuffer(reader, most + 1, most, 1, 2)
    reader.take()
    #expect(lines.take() == ["chunk \(most + 1)", "chunk \(most)", "chunk 1"])
    #expect(reader.asked == 2)
    withExtendedLifetime(buffer) {}
  }

  @Test(
    "While the task has not taken its events, those that wait may have 128 KiB, despite its demand")
  func pause() {
    let reader = Reader()
    let buffer = lines.makeBuffer(.unlimited, readAhead: reader)
    for size in [most + 1, 64] {
      #expect(buffer.append(size) == .init(mustDeliver: true, flow: .more))
      buffer.deliver()
    }
    #expect(reader.asked == 1)
    #expect(buffer.append(most - 64) == .init())
    #expect(buffer.append(1) == .init(mustDeliver: false, flow: .pause))
    #expect(lines.take() == ["chunk \(most + 1)"])
    reader.take()
    #expect(lines.take() == ["chunk 64", "chunk \(most - 64)", "chunk 1", "resume"])
  }

  @Test("The task is not asked if the engine cannot pause")
  func unasked() {
    let reader = Reader()
    let buffer = makeBuffer(reader, most + 1, 2, limit: 1 << 20)
    #expect(lines.take() == ["chunk \(most + 1)", "chunk 2"])
    #expect(reader.asked == 0)
    withExtendedLifetime(buffer) {}
  }
}
