import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("C-4: a cancel from inside user code is final for a custom subscriber", .leakFree)
struct CancelInsideTests {
  typealias Source = PassthroughSubject<Int, TestError>
  typealias Stream = AnyPublisher<Int, TestError>

  /// A pipeline made of two sources, a scheduler, and a closure that cancels.
  struct Case: Sendable, CustomTestStringConvertible {
    struct Parts: Sendable {
      let source = Source()
      let other = Source()
      let scheduler = TestScheduler()
      let cancel: @Sendable () -> Void

      /// The first source, whose handler of a cancel cancels in turn.
      var cancelling: Publishers.HandleEvents<Source> { source.handleEvents(receiveCancel: cancel) }
      /// The other one, likewise.
      var otherCancelling: Publishers.HandleEvents<Source> {
        other.handleEvents(receiveCancel: cancel)
      }
    }

    let testDescription: String
    let demand: Subscribers.Demand
    let build: @Sendable (Parts) -> Stream

    init(
      _ name: String, demand: Subscribers.Demand = .unlimited,
      _ build: @escaping @Sendable (Parts) -> any Publisher<Int, TestError>
    ) {
      testDescription = name
      self.demand = demand
      self.build = { build($0).eraseToAnyPublisher() }
    }

    static let closures = [
      Case("map") { parts in
        parts.source.map { value in
          parts.cancel()
          return value
        }
      },
      Case("filter, included") { parts in
        parts.source.filter { _ in
          parts.cancel()
          return true
        }
      },
      Case("filter, left out") { parts in
        parts.source.filter { _ in
          parts.cancel()
          return false
        }
      },
      Case("compactMap") { parts in
        parts.source.compactMap { value in
          parts.cancel()
          return value
        }
      },
      Case("mapError") { parts in
        parts.source.mapError { error in
          parts.cancel()
          return error
        }
      },
      Case("scan") { parts in
        parts.source.scan(0) { _, value in
          parts.cancel()
          return value
        }
      },
      Case("flatMap") { parts in
        parts.source.flatMap { value in
          parts.cancel()
          return Just(value)
        }
      },
      Case("catch") { parts in
        parts.source.catch { _ in
          parts.cancel()
          return Just(9).setFailureType(to: TestError.self)
        }
      },
      Case("first(where:)") { parts in
        parts.source.first { _ in
          parts.cancel()
          return true
        }
      },
      Case("timeout, custom error") { parts in
        parts.source.timeout(.seconds(1), scheduler: parts.scheduler) {
          parts.cancel()
          return .second
        }
      },
      Case("buffer, custom error", demand: .none) { parts in
        parts.source.buffer(
          size: 1, prefetch: .byRequest,
          whenFull: .customError {
            parts.cancel()
            return .second
          })
      },
    ]

    static let handlers = [
      Case("first(where:), the upstream's handler") { $0.cancelling.first { _ in true } },
      Case("prefix, the upstream's handler") { $0.cancelling.prefix(1) },
      Case("prefix(while:), the upstream's handler") { $0.cancelling.prefix { _ in false } },
      Case("tryMap that throws, the upstream's handler") { parts in
        parts.cancelling.tryMap { _ throws(TestError) -> Int in throw .second }
      },
      Case("allSatisfy, the upstream's handler") {
        $0.cancelling.allSatisfy { _ in false }.map { $0 ? 1 : 0 }
      },
      Case("zip, the upstream's handler") { parts in
        parts.cancelling.zip(Just(1).setFailureType(to: TestError.self)) { $0 + $1 }
      },
      Case("combineLatest, the upstream's handler") { parts in
        parts.cancelling.combineLatest(parts.other) { $0 + $1 }
      },
      Case("race, the loser's handler") { $0.source.race(with: $0.otherCancelling) },
      Case("switchToLatest, the handler of who gives way") { parts in
        parts.source.map { _ in parts.otherCancelling }.switchToLatest()
      },
      Case("timeout, the upstream's handler") {
        $0.cancelling.timeout(.seconds(1), scheduler: $0.scheduler)
      },
      Case("prefix(untilOutputFrom:), the upstream's handler") {
        $0.cancelling.prefix(untilOutputFrom: $0.other)
      },
      Case("prefix(untilOutputFrom:), the other's handler") {
        $0.source.prefix(untilOutputFrom: $0.otherCancelling)
      },
      Case("drop(untilOutputFrom:), the other's handler") {
        $0.source.drop(untilOutputFrom: $0.otherCancelling)
      },
    ]
  }

  @Test(
    "C-4: no signal follows, and no closure runs again", arguments: Case.closures + Case.handlers)
  func final(case: Case) {
    let keeper = SubscriptionKeeper()
    let heard = Recording<String>()
    let parts = Case.Parts {
      heard.add("cancel")
      keeper.subscription?.cancel()
    }
    `case`.build(parts).subscribe(
      AnySubscriber(
        receiveSubscription: { subscription in
          keeper.keep(subscription)
          subscription.request(`case`.demand)
        },
        receiveValue: { value in
          heard.add("\(value)")
          return .none
        },
        receiveCompletion: { _ in heard.add("end") }))
    parts.source.send(1)
    parts.other.send(1)
    parts.source.send(2)
    parts.scheduler.advance(by: .seconds(60))
    parts.other.send(completion: .failure(.first))
    parts.source.send(completion: .failure(.first))
    #expect(heard.elements.filter { $0 == "cancel" }.count == 1)
    #expect(heard.elements.last == "cancel")
    keeper.subscription?.cancel()
  }
}
