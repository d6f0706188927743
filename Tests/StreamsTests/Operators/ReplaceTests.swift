import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("replaceNil, replaceEmpty, removeDuplicates", .leakFree)
struct ReplaceTests {
  @Test("replaceNil replaces nil with a value")
  func replaceNil() {
    #expect([1, nil, 3].publisher.replaceNil(with: 0).played() == ["1", "0", "3", "finished"])
  }

  @Test("replaceEmpty delivers its value if the upstream finishes without one")
  func replaceEmpty() {
    #expect(finishing().replaceEmpty(with: 9).played() == ["9", "finished"])
    #expect(finishing(1, 2).replaceEmpty(with: 9).played() == ["1", "2", "finished"])
    #expect(failing().replaceEmpty(with: 9).played() == ["failure first"])
  }

  @Test("C-3: the value of replaceEmpty waits for demand")
  func replaceEmptyDemand() {
    let subscriber = TestSubscriber<Int, TestError>(demand: .none)
    finishing().replaceEmpty(with: 9).subscribe(subscriber)
    #expect(subscriber.kinds == ["subscription"])
    subscriber.request(.max(1))
    #expect(subscriber.kinds == ["subscription", "9", "finished"])
  }

  @Test("C-4: a cancel while the value of replaceEmpty waits is final, and releases the subscriber")
  func replaceEmptyCancel() {
    let keeper = SubscriptionKeeper()
    let subscriber: Weak<KeptSubscriber<Int, TestError>>
    do {
      let object = KeptSubscriber<Int, TestError>(keeper: keeper, demand: .none)
      subscriber = Weak(object)
      finishing().replaceEmpty(with: 9).subscribe(object)
    }
    #expect(!subscriber.isReleased)
    keeper.subscription?.cancel()
    #expect(subscriber.isReleased)
  }

  @Test("C-3: replaceEmpty requests as much as its downstream")
  func replaceEmptyRequests() {
    let source = TestPublisher<Int, TestError>()
    let subscriber = TestSubscriber<Int, TestError>(demand: .max(1)) { _, _ in .max(2) }
    source.replaceEmpty(with: 9).subscribe(subscriber)
    #expect(source.requests == [.max(1)])
    #expect(source.send(1) == .max(2))
  }

  @Test("removeDuplicates drops a value that equals the previous one and requests another")
  func removeDuplicates() {
    #expect(
      finishing(1, 1, 2, 2, 2, 1).removeDuplicates().played() == ["1", "2", "1", "finished"])
    #expect(
      [nil, nil, 1].publisher.removeDuplicates().played() == ["nil", "Optional(1)", "finished"])
    let source = TestPublisher<Int, TestError>()
    source.removeDuplicates().subscribe(TestSubscriber<Int, TestError>(demand: .max(1)))
    #expect(source.send(1) == .none)
    #expect(source.send(1) == .max(1))
  }

  @Test("removeDuplicates compares the last value that passed with the new one, in this order")
  func removeDuplicatesBy() {
    #expect(
      finishing(1, 2, 3, 4, 6).removeDuplicates { $1 - $0 < 2 }.played()
        == ["1", "3", "6", "finished"])
  }

  @Test("removeDuplicates keeps no state from one subscription to the next")
  func removeDuplicatesTwice() {
    let chain = finishing(1, 1).removeDuplicates()
    #expect(chain.played() == ["1", "finished"])
    #expect(chain.played() == ["1", "finished"])
  }

  @Test("tryRemoveDuplicates fails with the error that its closure throws")
  func tryRemoveDuplicates() {
    let played = finishing(1, 1, 3).tryRemoveDuplicates { (last: Int, new: Int) throws -> Bool in
      if new == 3 { throw OpaqueError(code: last) }
      return last == new
    }.played()
    #expect(played == ["1", "failure OpaqueError(code: 1)"])
  }
}
