import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("Subscribers of a subject that come and go", .leakFree)
struct SubjectOrderAfterLeavingTests {
  @Test("C-9: the remaining subscribers keep their order, whichever leave", arguments: 0..<20)
  func order(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let subject = PassthroughSubject<Int, Never>()
    let heard = Recording<Int>()
    var members: [(number: Int, sink: AnyCancellable)] = []
    for number in 0..<300 {
      members.append((number, subject.sink { _ in heard.add(number) }))
      if Int.random(in: 0..<3, using: &generator) > 0 {
        members.remove(at: Int.random(in: 0..<members.count, using: &generator)).sink.cancel()
      }
    }
    subject.send(1)
    #expect(heard.elements == members.map(\.number))
    while !members.isEmpty {
      members.remove(at: Int.random(in: 0..<members.count, using: &generator)).sink.cancel()
      if members.count.isMultiple(of: 10) {
        let before = heard.count
        subject.send(2)
        #expect(heard.elements.dropFirst(before) == members.map(\.number)[...])
      }
    }
  }

  @Test("C-7: a subject releases subscribers that leave, in any order")
  func release() {
    let subject = ReplaySubject<Int, Never>(bufferSize: 1)
    var sinks = (0..<1_000).map { _ in subject.sink { _ in } }
    let all = LiveSubscriptions.current?.count ?? 0
    #expect(all >= 1_000)
    sinks.removeFirst(999)
    #expect((LiveSubscriptions.current?.count ?? 0) < 50)
    subject.send(1)
    sinks = []
  }

  @Test("Subscribers without demand at the end receive the kept values, then the end")
  func endWithLaggards() {
    let subject = ReplaySubject<Int, TestError>(bufferSize: 5)
    let subscribers = (0..<100).map { number in
      TestSubscriber<Int, TestError>(demand: number.isMultiple(of: 3) ? .none : .unlimited)
    }
    for subscriber in subscribers { subject.subscribe(subscriber) }
    subject.send(7)
    subject.send(completion: .finished)
    for (number, subscriber) in subscribers.enumerated() {
      #expect(subscriber.isFinished == !number.isMultiple(of: 3))
      subscriber.request(.max(1))
      #expect(subscriber.kinds == ["subscription", "7", "finished"])
    }
  }
}
