import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("Subjects in races", .leakFree)
struct SubjectRaceTests {
  typealias Subscriber = TestSubscriber<Int, TestError>

  @Test("C-4, C-7: a cancel that races with sends releases the subscriber")
  func cancelAgainstSend() {
    let rounds = 2_000
    let subject = PassthroughSubject<Int, TestError>()
    let released = Tally()
    let attached = Box<AnyCancellable>()
    #expect(
      raceEnds(threads: 2, rounds: rounds) { round, thread in
        if thread == 0 {
          let probe = ReleaseProbe { released.add() }
          let sink = subject.sink(receiveCompletion: { _ in }, receiveValue: { _ in probe.touch() })
          attached.set(sink)
          sink.cancel()
        } else {
          subject.send(round)
          attached.value?.cancel()
        }
      })
    #expect(released.count == rounds)
  }

  @Test("C-7: subscribers that cancel themselves in one delivery are all released with it")
  func cancelInside() {
    let subject = PassthroughSubject<Int, TestError>()
    let released = Tally()
    let keepers = (0..<100).map { _ in Box<AnyCancellable>() }
    for keeper in keepers {
      let probe = ReleaseProbe { released.add() }
      keeper.set(
        subject.sink(
          receiveCompletion: { _ in },
          receiveValue: { _ in
            probe.touch()
            keeper.value?.cancel()
          }))
    }
    subject.send(1)
    #expect(released.count == keepers.count)
  }

  @Test("C-2: a subscriber that arrives while the end is sent receives the end once")
  func attachAgainstEnd() {
    let rounds = 1_000
    let subjects = (0..<rounds).map { _ in PassthroughSubject<Int, TestError>() }
    let subscribers = (0..<2 * rounds).map { _ in Subscriber(demand: .none) }
    #expect(
      raceEnds(threads: 3, rounds: rounds) { round, thread in
        if thread == 2 {
          subjects[round].send(completion: .finished)
        } else {
          subjects[round].subscribe(subscribers[2 * round + thread])
        }
      })
    #expect(subscribers.allSatisfy { $0.kinds == ["subscription", "finished"] })
  }

  @Test("C-3: a request while a value is sent is served with the kept or the new value")
  func requestAgainstSend() {
    let rounds = 1_000
    let subjects = (0..<rounds).map { _ in CurrentValueSubject<Int, TestError>(0) }
    let subscribers = subjects.map { subject in
      let subscriber = Subscriber(demand: .none)
      subject.subscribe(subscriber)
      return subscriber
    }
    #expect(
      raceEnds(threads: 2, rounds: rounds) { round, thread in
        if thread == 0 {
          subjects[round].send(1)
        } else {
          subscribers[round].request(.max(1))
        }
      })
    #expect(subscribers.allSatisfy { $0.values == [0] || $0.values == [1] })
    for subscriber in subscribers { subscriber.request(.max(1)) }
    #expect(subscribers.allSatisfy { $0.values.last == 1 })
  }

  @Test("C-9: a subscriber from inside a delivery receives nothing sent before")
  func attachInside() {
    let subject = PassthroughSubject<Int, TestError>()
    let late = Subscriber()
    let first = Subscriber { _, value in
      if value == 1 {
        subject.send(2)
        subject.subscribe(late)
        subject.send(3)
      }
      return .none
    }
    subject.subscribe(first)
    subject.send(1)
    #expect(first.values == [1, 2, 3])
    #expect(late.values == [3])
  }

  @Test("C-9: the readable value is the one that subscribers saw last", arguments: [2, 4])
  func readable(senders: Int) {
    let rounds = 500
    let subject = CurrentValueSubject<Int, TestError>(-1)
    let subscriber = Subscriber()
    subject.subscribe(subscriber)
    let read = Recording<Int>()
    let seen = Recording<Int>()
    #expect(
      raceEnds(threads: senders, rounds: 2 * rounds) { round, thread in
        if round.isMultiple(of: 2) {
          subject.send(round * senders + thread)
        } else if thread == 0 {
          read.add(subject.value)
          seen.add(subscriber.values.last ?? -1)
        }
      })
    #expect(read.elements == seen.elements)
    #expect(subscriber.values.count == 1 + rounds * senders)
  }

  @Test("C-6: a value and a subscriber may send in their deinit")
  func sendsInDeinit() {
    let subject = CurrentValueSubject<ReleaseProbe?, Never>(nil)
    let sends = Tally()
    let seen = Tally()
    let sink = subject.sink { _ in seen.add() }
    let probe = ReleaseProbe {
      sends.add()
      subject.send(nil)
    }
    let second = subject.sink { _ in probe.touch() }
    subject.send(ReleaseProbe { subject.send(nil) })
    subject.send(nil)
    #expect(seen.count == 4)
    withExtendedLifetime(probe) {}
    second.cancel()
    sink.cancel()
  }
}
