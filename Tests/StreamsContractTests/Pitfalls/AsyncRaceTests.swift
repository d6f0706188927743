import Foundation
import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("P22: ends race with cancels while tasks wait", .leakFree, .timeLimit(.minutes(10)))
struct AsyncRaceTests {
  typealias Source = TestPublisher<Int, TestError>
  typealias Wait = @Sendable (Source) async throws -> Int

  /// Each waits for a publisher's one value in its own way.
  static let bridges: [Setup<Wait>] = [
    Setup("value") { try await $0.value },
    Setup("firstValue") { try await $0.firstValue ?? -1 },
    Setup("allValues") { try await $0.allValues.reduce(0, +) },
    Setup("values, prefetch") { source in
      var sum = 0
      for try await value in source.values(buffering: .prefetch(2)) { sum += value }
      return sum
    },
    Setup("values, unbounded") { source in
      var sum = 0
      for try await value in source.values(buffering: .unbounded) { sum += value }
      return sum
    },
  ]

  @Test(
    "P-22: in 10⁴ races of an end with a cancel on two threads, every task ends once",
    arguments: bridges)
  func cancelAgainstEnd(bridge: Setup<Wait>) async {
    let rounds = 10_000
    let batch = 500
    for start in stride(from: 0, to: rounds, by: batch) {
      let subscribed = (0..<batch).map { _ in Latch() }
      let sources = subscribed.map { signal in Source { _ in signal.fire() } }
      let tasks = sources.map { source in Task { try await bridge.make(source) } }
      for signal in subscribed { await signal.wait() }
      let ended = await offTheCooperativePool {
        raceEnds(threads: 2, rounds: batch) { round, thread in
          if thread == 0 {
            sources[round].send(7)
            sources[round].send(completion: .finished)
          } else {
            tasks[round].cancel()
          }
        }
      }
      #expect(ended, "round \(start)")
      for task in tasks {
        switch await task.result {
        // A loop that is cancelled ends as if the stream had.
        case .success(let sum): #expect([7, 0, -1].contains(sum))
        case .failure(let error): #expect(error is CancellationError)
        }
      }
      #expect(sources.allSatisfy { $0.subscriberCount == 0 })
    }
  }

  @Test("P-22: in 10⁴ races with a cancel a Single's operation gives at most one value and ends")
  func singleOfOperation() async {
    let ended = Tally()
    for batch in 0..<20 {
      let gates = (0..<500).map { _ in Latch() }
      let subscribers = gates.map { gate in
        let subscriber = TestSubscriber<Int, TestError>()
        Single { () async throws(TestError) -> Int in
          await gate.wait()
          ended.add()
          if batch.isMultiple(of: 2) { throw .first }
          return 1
        }.subscribe(subscriber)
        return subscriber
      }
      _ = await offTheCooperativePool {
        raceEnds(threads: 2, rounds: 500) { round, thread in
          if thread == 0 { gates[round].fire() } else { subscribers[round].cancel() }
        }
      }
      for subscriber in subscribers {
        #expect(subscriber.values.count <= 1)
        #expect(subscriber.completions.count <= 1)
        #expect(subscriber.overlaps == 0)
      }
    }
    while ended.count < 10_000 { await Task.yield() }
  }

  @Test("P-22: in 10⁴ races of its start with a cancel, every asyncMap closure sees its cancel")
  func asyncMap() async {
    let begun = Tally()
    let ended = Tally()
    for _ in 0..<20 {
      let sources = (0..<500).map { _ in Source() }
      let subscribers = sources.map { source in
        let subscriber = TestSubscriber<Int, TestError>()
        source.asyncMap { value in
          begun.add()
          await untilCancelled()
          ended.add()
          return value
        }.subscribe(subscriber)
        return subscriber
      }
      _ = await offTheCooperativePool {
        raceEnds(threads: 2, rounds: 500) { round, thread in
          if thread == 0 { sources[round].send(1) } else { subscribers[round].cancel() }
        }
      }
      #expect(subscribers.allSatisfy { $0.signals.count == 1 })
      #expect(sources.allSatisfy { $0.cancelCount == 1 })
    }
    while ended.count < begun.count { await Task.yield() }
  }

  @Test("P-22: in 10⁴ races of a promise with a cancel, a Future gives one result or none")
  func future() {
    let rounds = 10_000
    let promises = (0..<rounds).map { _ in Box<Future<Int, TestError>.Promise>() }
    let futures = promises.map { promise in Future<Int, TestError> { promise.set($0) } }
    let subscribers = futures.map { future in
      let subscriber = TestSubscriber<Int, TestError>()
      future.subscribe(subscriber)
      return subscriber
    }
    #expect(
      raceEnds(threads: 2, rounds: rounds) { round, thread in
        if thread == 0 { promises[round].value?(.success(1)) } else { subscribers[round].cancel() }
      })
    for subscriber in subscribers {
      #expect(
        ["subscription", "subscription1", "subscription1finished"].contains(
          subscriber.kinds.joined()))
      #expect(subscriber.overlaps == 0)
    }
  }

  private func offTheCooperativePool<Result: Sendable>(
    _ body: @escaping @Sendable () -> Result
  ) async -> Result {
    let live = LiveSubscriptions.current ?? LiveSubscriptions()
    return await withCheckedContinuation { continuation in
      Thread { continuation.resume(returning: live.resume(body)) }.start()
    }
  }
}
