import Streams

/// A publisher that hands out its subscriber, which a test then calls as it likes.
///
/// It sends nothing by itself, no subscription either.
struct Handing: Publisher {
  typealias Output = Int
  typealias Failure = TestError

  let hand: @Sendable (AnySubscriber<Int, TestError>) -> Void

  func receive<Downstream: Subscriber>(subscriber: Downstream)
  where Downstream.Input == Int, Downstream.Failure == TestError {
    hand(AnySubscriber(subscriber))
  }
}
