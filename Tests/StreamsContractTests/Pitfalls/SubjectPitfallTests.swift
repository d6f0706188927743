import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("Pitfalls of subjects", .leakFree)
struct SubjectPitfallTests {
  typealias Subscriber = TestSubscriber<Int, TestError>
  typealias MakeSubject = Sharing.MakeSubject

  @Test(
    "P-13: a value sent from inside a delivery follows it for all three subscribers",
    arguments: Sharing.subjects, 0..<3)
  func nestedSend(kind: Setup<MakeSubject>, sender: Int) {
    let subject = kind.make()
    let subscribers = (0..<3).map { index in
      Subscriber { _, value in
        if index == sender, value < 10, value > 0 {
          subject.send(value * 10)
          subject.send(value * 10 + 1)
        }
        return .none
      }
    }
    for subscriber in subscribers { subject.receive(subscriber: subscriber) }
    subject.send(1)
    subject.send(2)
    for subscriber in subscribers {
      #expect(subscriber.values.filter { $0 > 0 } == [1, 10, 11, 2, 20, 21])
      #expect(subscriber.overlaps == 0)
    }
    subject.send(completion: .finished)
  }

  @Test(
    "P-14: eight threads send, and all subscribers see one order", arguments: Sharing.subjects)
  func senders(kind: Setup<MakeSubject>) {
    let count = 2_000
    let subject = kind.make()
    let subscribers = (0..<3).map { _ in Subscriber() }
    for subscriber in subscribers { subject.receive(subscriber: subscriber) }
    #expect(
      raceEnds(threads: 8) { _, thread in
        for value in 0..<count { subject.send(thread * count + value) }
      })
    let values = subscribers[0].values.filter { $0 >= 0 }
    #expect(Set(values).count == 8 * count)
    for thread in 0..<8 {
      let own = values.filter { $0 / count == thread }
      #expect(own == own.sorted())
    }
    for subscriber in subscribers {
      #expect(subscriber.values == subscribers[0].values)
      #expect(subscriber.overlaps == 0)
    }
    subject.send(completion: .finished)
  }

  @Test(
    "P-15: a subscriber that arrives while values are sent receives each once and in order",
    arguments: Sharing.subjects)
  func subscribeAgainstSend(kind: Setup<MakeSubject>) {
    let rounds = 1_000
    let subjects = (0..<rounds).map { _ in kind.make() }
    let subscribers = (0..<rounds).map { _ in Subscriber() }
    #expect(
      raceEnds(threads: 2, rounds: rounds) { round, thread in
        if thread == 0 {
          for value in 1...5 { subjects[round].send(value) }
        } else {
          subjects[round].receive(subscriber: subscribers[round])
        }
      })
    for (subject, subscriber) in zip(subjects, subscribers) {
      let values = subscriber.values
      #expect(values == Array(Set(values)).sorted())
      if kind.testDescription != "PassthroughSubject" { #expect(values.last == 5) }
      #expect(subscriber.overlaps == 0)
      subject.send(completion: .finished)
    }
  }

  @Test("P-15: a request while a value is sent does not deliver that value twice")
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
        if thread == 0 { subjects[round].send(1) } else { subscribers[round].request(.max(5)) }
      })
    for subscriber in subscribers { #expect([[0, 1], [1]].contains(subscriber.values)) }
  }
}
