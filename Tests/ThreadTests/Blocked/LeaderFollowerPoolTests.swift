#if os(Linux)
  import Dispatch
  import Foundation
  import Streams
  import Testing

  @testable import HTTPTransport
  @testable import RESTKit

  @Suite("The threads of an engine", .timeLimit(.minutes(10)))
  struct LeaderFollowerPoolTests {
    @Test("One delivery fewer than there are threads may block at once")
    func many() async {
      let desk = Desk(limit: 12)
      let gate = DispatchSemaphore(value: 0)
      let (begun, beginning) = AsyncStream.makeStream(of: Int.self)
      for number in 0..<11 {
        desk.deliver {
          beginning.yield(number)
          gate.wait()
        }
      }
      var numbers: [Int] = []
      for await number in begun.prefix(11) { numbers.append(number) }
      #expect(numbers == Array(0..<11))
      #expect(desk.warnings.isEmpty)
      for _ in 0..<11 { gate.signal() }
      await desk.stop()
    }

    @Test("More deliveries wait, with one warning, and continue when a thread returns")
    func bound() async {
      let desk = Desk(limit: 3)
      let gates = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]
      for round in 0..<2 {
        let (ends, end) = AsyncStream.makeStream(of: String.self)
        let (begun, beginning) = AsyncStream.makeStream(of: Void.self)
        for gate in gates {
          desk.deliver {
            beginning.yield()
            gate.wait()
            end.yield("held up")
          }
        }
        var count = 0
        for await _ in begun.prefix(2) { count += 1 }
        desk.deliver { end.yield("late") }
        await desk.isShort(times: round + 1)
        gates[0].signal()
        var told: [String] = []
        for await text in ends.prefix(2) { told.append(text) }
        #expect(told == ["held up", "late"])
        gates[1].signal()
        for await text in ends.prefix(1) { #expect(text == "held up") }
      }
      #expect(desk.warnings.count == 1)
      #expect(desk.warnings.first?.contains("block 2 threads") == true)
      #expect(desk.warnings.first?.contains("receive(on:)") == true)
      #expect(desk.warnings.first?.contains("deliveryThreads") == true)
      await desk.stop()
    }

    @Test("A delivery may wait for a later one")
    func nested() async {
      let desk = Desk(limit: 16)
      let (ends, end) = AsyncStream.makeStream(of: Int.self)
      @Sendable func wait(depth: Int) {
        guard depth > 0 else {
          end.yield(0)
          return
        }
        let isDone = DispatchSemaphore(value: 0)
        desk.deliver {
          wait(depth: depth - 1)
          isDone.signal()
        }
        isDone.wait()
        end.yield(depth)
      }
      desk.deliver { wait(depth: 8) }
      var depths: [Int] = []
      for await depth in ends.prefix(9) { depths.append(depth) }
      #expect(depths == Array(0...8))
      await desk.stop()
    }

    @Test("A thread blocked at the end of the engine ends when it returns")
    func heldUpAtTheEnd() async {
      let desk = Desk(limit: 4)
      let gate = DispatchSemaphore(value: 0)
      let (ends, end) = AsyncStream.makeStream(of: Void.self)
      desk.deliver {
        end.yield()
        gate.wait()
        end.yield()
      }
      for await _ in ends.prefix(1) {}
      await desk.stop()
      gate.signal()
      for await _ in ends.prefix(1) {}
    }
  }

  /// An engine that does nothing but run what it is given.
  private final class Desk: Sendable {
    private struct State {
      var deliveries = FIFO<@Sendable () -> Void>()
      var isOver = false
      var shortages = 0
      var awaited: (times: Int, continuation: CheckedContinuation<Void, Never>)?
      var onEnd: CheckedContinuation<Void, Never>?
    }

    private let state = Lock(State())
    private let told: Warnings
    private let pool: LeaderFollowerPool
    private let bell = DispatchSemaphore(value: 0)

    init(limit: Int) {
      let warnings = Warnings()
      told = warnings
      pool = LeaderFollowerPool(limit: limit) { warnings.append($0) }
      Thread.detachNewThread { [self] in
        pool.serve(
          LeaderFollowerPool.Duty(
            lead: { [self] in lead() }, welcome: { [self] in _ = bell.signal() }))
      }
    }

    var warnings: [String] { told.all }

    func deliver(_ delivery: @escaping @Sendable () -> Void) {
      state.withLock { $0.deliveries.append(delivery) }
      bell.signal()
    }

    /// Returns once there was no thread for a delivery so many times.
    func isShort(times: Int) async {
      await withCheckedContinuation { continuation in
        let isNow = state.withLock { state in
          if state.shortages >= times { return true }
          state.awaited = (times, continuation)
          return false
        }
        if isNow { continuation.resume() }
      }
    }

    func stop() async {
      await withCheckedContinuation { continuation in
        state.withLock { state in
          state.isOver = true
          state.onEnd = continuation
        }
        bell.signal()
      }
    }

    private func lead() -> Bool {
      while true {
        // A new leader looks first, because the bell may have rung for the previous thread.
        while state.withLock({ !$0.deliveries.isEmpty }) {
          guard pool.isWatched() else {
            noteShortage()
            break
          }
          guard let delivery = state.withLock({ $0.deliveries.popFirst() }) else { break }
          let number = pool.begin()
          delivery()
          guard pool.end(number) else { return false }
        }
        let onEnd = state.withLock { $0.isOver ? $0.onEnd.take() : nil }
        if let onEnd {
          onEnd.resume()
          return true
        }
        bell.wait()
      }
    }

    private func noteShortage() {
      let awaited = state.withLock { state -> CheckedContinuation<Void, Never>? in
        state.shortages += 1
        guard let awaited = state.awaited, state.shortages >= awaited.times else { return nil }
        state.awaited = nil
        return awaited.continuation
      }
      awaited?.resume()
    }
  }

  private final class Warnings: Sendable {
    private let texts = Lock<[String]>([])

    var all: [String] { texts.withLock { $0 } }

    func append(_ text: String) { texts.withLock { $0.append(text) } }
  }
#endif
