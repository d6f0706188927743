import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("C-1, C-13: threads", .leakFree)
struct ThreadTests {
  typealias Subscriber = TestSubscriber<Int, TestError>

  @Test(
    "C-1: values arrive one at a time while other threads request and cancel", arguments: Stage.all)
  func allAtOnce(stage: Stage) {
    let rounds = 40
    let sources = (0..<rounds).map { _ in PassthroughSubject<Int, TestError>() }
    let subscribers = sources.map { source in
      let subscriber = Subscriber(demand: .max(1)) { _, value in
        value.isMultiple(of: 2) ? .max(1) : .none
      }
      stage(source).subscribe(subscriber)
      return subscriber
    }
    #expect(
      raceEnds(threads: 3, rounds: rounds) { round, thread in
        switch thread {
        case 0:
          for value in 0..<50 { sources[round].send(value) }
          sources[round].send(completion: .failure(.first))
        case 1:
          for _ in 0..<50 { subscribers[round].request(.max(1)) }
        default:
          if round.isMultiple(of: 2) { subscribers[round].cancel() }
        }
      })
    #expect(subscribers.allSatisfy { $0.overlaps == 0 })
    #expect(subscribers.allSatisfy { $0.subscriptionCount == 1 && $0.completions.count <= 1 })
    let uncancelled = subscribers.indices.filter { !$0.isMultiple(of: 2) }.map { subscribers[$0] }
    #expect(uncancelled.allSatisfy { $0.failure == .first })
    #expect(subscribers.map(\.values).allSatisfy { $0 == $0.sorted() })
  }

  @Test(
    "C-4: after a cancel from another thread at most one signal in flight arrives",
    arguments: Stage.all)
  func cancelFromElsewhere(stage: Stage) {
    let rounds = 40
    let sources = (0..<rounds).map { _ in PassthroughSubject<Int, TestError>() }
    let hasCancelled = sources.map { _ in Tally() }
    let late = sources.map { _ in Tally() }
    let subscribers = sources.indices.map { index in
      let subscriber = Subscriber { _, _ in
        if hasCancelled[index].count > 0 { late[index].add() }
        return .none
      }
      stage(sources[index]).subscribe(subscriber)
      return subscriber
    }
    #expect(
      raceEnds(threads: 2, rounds: rounds) { round, thread in
        if thread == 0 {
          for value in 0..<100 { sources[round].send(value) }
        } else {
          subscribers[round].cancel()
          hasCancelled[round].add()
        }
      })
    #expect(late.allSatisfy { $0.count <= 1 })
    #expect(subscribers.allSatisfy { $0.completion == nil })
  }
}
