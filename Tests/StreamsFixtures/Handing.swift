import Streams

/// A publisher that hands out its subscriber, which a test then calls as it likes.
///
/// It sends nothing by itself, no subscription either.
package struct Handing: Publisher {
  package typealias Output = Int
  package typealias Failure = TestError

  let hand: @Sendable (AnySubscriber<Int, TestError>) -> Void

  package init(hand: @escaping @Sendable (AnySubscriber<Int, TestError>) -> Void) {
    self.hand = hand
  }

  package func receive<Downstream: Subscriber>(subscriber: Downstream)
  where Downstream.Input == Int, Downstream.Failure == TestError {
    hand(AnySubscriber(subscriber))
  }
}
