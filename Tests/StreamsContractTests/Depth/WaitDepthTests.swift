import Streams
import StreamsFixtures
import StreamsTesting
import Testing

/// The stacks of the threads that tasks run on are larger; a call for each of so many values would
/// overflow them all the same.
@Suite("C-5: very many values for awaits and sinks", .leakFree)
struct WaitDepthTests {
  enum Wait: CaseIterable, Sendable {
    case value, result, firstValue, allValues, values, sink, sinkOnActor, assign, asyncMap,
      tryAsyncMap
    case asyncSequence

    var operators: [String] {
      switch self {
      case .sinkOnActor: ["sink"]
      case .asyncSequence: ["publisher"]
      default: ["\(self)"]
      }
    }
  }

  @Test("C-5: each awaiting call and each sink takes very many values", arguments: Wait.allCases)
  func values(wait: Wait) async throws {
    let source = (0..<manyTimes).publisher
    let last = manyTimes - 1
    switch wait {
    case .value: #expect(try await source.last().value == last)
    case .result: #expect(try await source.last().result.get() == last)
    case .firstValue: #expect(try await source.filter { $0 == last }.firstValue == last)
    case .allValues: #expect(try await source.allValues.count == manyTimes)
    case .values:
      var count = 0
      for await _ in source.values { count += 1 }
      #expect(count == manyTimes)
    case .sink:
      let seen = Tally()
      #expect(runsOnSmallStack { source.sink { _ in seen.add() }.cancel() })
      #expect(seen.count == manyTimes)
    case .assign:
      let target = Target()
      #expect(runsOnSmallStack { source.assign(to: \.value, on: target).cancel() })
      #expect(target.value == last)
    case .sinkOnActor:
      let (counter, done) = (Counter(), Latch())
      let cancellable = source.sink(
        on: counter, receiveCompletion: { _, _ in done.fire() },
        receiveValue: { counter, _ in counter.count += 1 })
      await done.wait()
      #expect(await counter.count == manyTimes)
      cancellable.cancel()
    case .asyncMap:
      #expect(try await source.asyncMap(maxConcurrent: 3) { $0 }.count().value == manyTimes)
    case .tryAsyncMap:
      let count = source.tryAsyncMap { (value: Int) async throws(TestError) -> Int in value }
      #expect(try await count.count().value == manyTimes)
    case .asyncSequence:
      let stream = AsyncStream { continuation in
        for value in 0..<manyTimes { continuation.yield(value) }
        continuation.finish()
      }
      #expect(try await stream.publisher.count().value == manyTimes)
    }
  }

  private actor Counter {
    var count = 0
  }

  private final class Target: Sendable {
    private let box = Box(0)

    var value: Int {
      get { box.value ?? 0 }
      set { box.set(newValue) }
    }
  }
}
