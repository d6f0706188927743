import StreamsFixtures
import StreamsTesting
import Testing

@testable import Streams

@Suite("A publisher that is followed by one that is made of its value", .leakFree)
struct FollowedTests {
  private let first = TestPublisher<Int, any Error>()
  private let second = TestPublisher<String, any Error>()
  private let subscriber = TestSubscriber<String, any Error>(demand: .none)

  private func follow(_ made: Tally = Tally()) {
    first.followed { [second] value in
      made.add()
      if value < 0 { throw TestError.second }
      return second.map { "\(value)\($0)" }.eraseToAnyPublisher()
    }
    .receive(subscriber: subscriber)
  }

  @Test("The value needs no demand, and the followed publisher gets the downstream's")
  func demand() {
    let made = Tally()
    follow(made)
    #expect(first.requests == [.unlimited])
    first.send(7)
    #expect(made.count == 0)
    first.send(completion: .finished)
    #expect(made.count == 1)
    #expect(second.requests.allSatisfy { $0 == .none })
    subscriber.request(.max(2))
    #expect(second.requests.last == .max(2))
    second.send("a")
    second.send("b")
    second.send(completion: .failure(TestError.first))
    #expect(subscriber.values == ["7a", "7b"])
    #expect(subscriber.failure as? TestError == .first)
  }

  @Test("A failure before the value, one of the closure, and an end without a value end the stream")
  func ends() {
    follow()
    first.send(completion: .failure(TestError.first))
    #expect(subscriber.failure as? TestError == .first)
    let other = FollowedTests()
    other.follow()
    other.first.send(-1)
    other.first.send(completion: .finished)
    #expect(other.subscriber.failure as? TestError == .second)
    let empty = FollowedTests()
    empty.follow()
    empty.first.send(completion: .finished)
    #expect(empty.subscriber.isFinished)
    #expect(empty.second.subscriptionCount == 0)
  }

  @Test("A cancel reaches the publisher that is followed at the time")
  func cancel() {
    follow()
    subscriber.cancel()
    #expect(first.cancelCount == 1)
    let later = FollowedTests()
    later.follow()
    later.first.send(1)
    later.first.send(completion: .finished)
    later.subscriber.cancel()
    #expect(later.second.cancelCount == 1)
  }
}
