import Streams
import StreamsFixtures
import Testing

@Suite("C-7: a sequence releases a subscriber that requests more inside a value", .leakFree)
struct PullReleaseTests {
  /// Asks for its second value inside the first one, and may cancel in the second.
  private final class AskingInside: Subscriber {
    typealias Failure = Never

    let keeper: SubscriptionKeeper
    let cancels: Bool
    let seen = Tally()

    init(keeper: SubscriptionKeeper, cancels: Bool) {
      self.keeper = keeper
      self.cancels = cancels
    }

    func receive(subscription: any Subscription) {
      keeper.keep(subscription)
      subscription.request(.max(1))
    }

    func receive(_ input: Int) -> Subscribers.Demand {
      if seen.add() == 1 {
        keeper.subscription?.request(.max(1))
      } else if cancels {
        keeper.subscription?.cancel()
      }
      return .none
    }

    func receive(completion: Subscribers.Completion<Never>) {}
  }

  @Test(
    "The end and a cancel release the subscriber, even if its subscription is kept",
    arguments: [false, true])
  func release(cancels: Bool) {
    let keeper = SubscriptionKeeper()
    let subscriber: Weak<AskingInside>
    do {
      let object = AskingInside(keeper: keeper, cancels: cancels)
      subscriber = Weak(object)
      [1, 2].publisher.subscribe(object)
      #expect(object.seen.count == 2)
    }
    #expect(subscriber.isReleased)
    #expect(keeper.subscription != nil)
  }
}
