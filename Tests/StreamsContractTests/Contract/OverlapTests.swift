import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("C-15: a value that arrives while an operator is busy is dropped and reported", .leakFree)
struct OverlapTests {
  private typealias Stream = AnyPublisher<Int, TestError>

  /// Sends 1, a 2 from inside of it, and the end.
  ///
  /// Returns the signals and the broken rules.
  private func play(
    _ attach: (Handing, @escaping @Sendable (Int) -> Void) -> Stream
  ) -> (heard: [String], rules: [ContractViolation.Rule]) {
    let upstream = Box<AnySubscriber<Int, TestError>>()
    let subscriber = TestSubscriber<Int, TestError>()
    let reported = violations {
      let stream = attach(
        Handing {
          upstream.set($0)
          $0.receive(subscription: Subscriptions.empty)
        },
        { if $0 == 1 { _ = upstream.value?.receive(2) } })
      stream.subscribe(subscriber)
      _ = upstream.value?.receive(1)
      upstream.value?.receive(completion: .finished)
    }
    upstream.set(nil)
    return (subscriber.kinds, reported.map(\.rule))
  }

  @Test("A value that arrives inside a stage's value is dropped and reported")
  func stage() {
    let (heard, rules) = play { base, touch in
      base.prefix { value in
        touch(value)
        return true
      }.eraseToAnyPublisher()
    }
    #expect(heard == ["subscription", "1", "finished"])
    #expect(rules == [.overlap])
  }

  @Test("An end inside a stage's value ends the stream, even if the closure then throws")
  func endInsideStage() {
    let upstream = Box<AnySubscriber<Int, TestError>>()
    let subscriber = TestSubscriber<Int, TestError>()
    Handing {
      upstream.set($0)
      $0.receive(subscription: Subscriptions.empty)
    }
    .tryPrefix(while: { (_: Int) throws(TestError) -> Bool in
      upstream.value?.receive(completion: .finished)
      throw .second
    })
    .subscribe(subscriber)
    _ = upstream.value?.receive(1)
    upstream.set(nil)
    #expect(subscriber.kinds == ["subscription", "finished"])
  }

  @Test("A value that arrives inside a fold's value is dropped and reported")
  func fold() {
    let (heard, rules) = play { base, touch in
      base.reduce(0) { sum, value in
        touch(value)
        return sum + value
      }.eraseToAnyPublisher()
    }
    #expect(heard == ["subscription", "1", "finished"])
    #expect(rules == [.overlap])
  }

  @Test("A value that arrives inside a tail's value is dropped and reported")
  func tail() {
    let (heard, rules) = play { base, touch in
      base.through(Echo(touch: touch)).eraseToAnyPublisher()
    }
    #expect(heard == ["subscription", "1", "finished"])
    #expect(rules == [.overlap])
  }
}

/// Passes on its values.
private struct Echo: Publishers.Tail {
  typealias InputFailure = TestError
  typealias Failure = TestError

  let touch: @Sendable (Int) -> Void

  mutating func receive(_ input: Int) throws(TestError) -> Publishers.StageStep<Int> {
    touch(input)
    return .pass(input)
  }

  mutating func end(_ completion: Subscribers.Completion<TestError>)
    -> Publishers.TailEnd<Int, TestError>
  {
    .end(completion)
  }
}
