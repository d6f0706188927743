import Fixtures
import Foundation
import Streams
import StreamsTesting
import Testing

@testable import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Running exchanges are shared", .leakFree)
struct SharedExchangesTests {
  private typealias Subscriber = TestSubscriber<RESTResponse, any Error>

  /// Exchanges that a test answers by hand, and how many were begun.
  private final class World: Sendable {
    let exchanges = SharedExchanges()
    let joined = Counter()
    private let begunExchanges = Lock<[TestPublisher<RESTResponse, any Error>]>([])

    var begun: Int { begunExchanges.withLock { $0 }.count }

    var cancelCount: Int { begunExchanges.withLock { $0 }.reduce(0) { $0 + $1.cancelCount } }

    /// The exchange that was begun at a place, from 0.
    subscript(place: Int) -> TestPublisher<RESTResponse, any Error> {
      begunExchanges.withLock { $0[place] }
    }

    func begin() -> TestPublisher<RESTResponse, any Error> {
      let exchange = TestPublisher<RESTResponse, any Error>()
      begunExchanges.withLock { $0.append(exchange) }
      return exchange
    }

    /// - Parameter begin: Makes the exchange; one that is answered by hand unless it is given.
    func publisher(
      _ path: String = "a", patience: ExchangePatience? = nil,
      begin: (@Sendable () -> AnyPublisher<RESTResponse, any Error>)? = nil
    ) -> AnyPublisher<RESTResponse, any Error> {
      guard let key = key(path) else {
        return Fail(error: CocoaError(.fileNoSuchFile)).eraseToAnyPublisher()
      }
      return exchanges.response(
        for: key, patience: patience, work: Work(world: self, beginOtherwise: begin))
    }

    private struct Work: SharedWork {
      let world: World
      let beginOtherwise: (@Sendable () -> AnyPublisher<RESTResponse, any Error>)?

      func join() { world.joined.add() }

      func begin() -> AnyPublisher<RESTResponse, any Error> {
        beginOtherwise?() ?? world.begin().eraseToAnyPublisher()
      }
    }

    /// Returns the key that all callers of one resource share.
    private func key(_ path: String) -> SharedRequestKey? {
      URL(string: "https://api.example.com/\(path)").flatMap {
        SharedRequestKey(URLRequest(url: $0), with: [:]) { _ in .anonymous }
      }
    }

    func hold(_ path: String) -> Bool { key(path).map(exchanges.hold) ?? false }

    @discardableResult
    func call(
      _ key: String = "a", demand: Subscribers.Demand = .unlimited,
      patience: ExchangePatience? = nil
    ) -> TestSubscriber<RESTResponse, any Error> {
      let subscriber = Subscriber(demand: demand)
      publisher(key, patience: patience).receive(subscriber: subscriber)
      return subscriber
    }

    /// Answers an exchange.
    func answer(_ place: Int = 0, _ body: String = "") {
      self[place].send(Self.response(body))
      self[place].send(completion: .finished)
    }

    static func response(_ body: String) -> RESTResponse {
      let url = URL(string: "https://api.example.com/a") ?? URL(fileURLWithPath: "/")
      return RESTResponse(
        head: ResponseHead(url: url, statusCode: 200), data: Data(body.utf8),
        request: RequestSummary(method: .get, url: url))
    }
  }

  private let world = World()

  private func bodies(_ subscriber: Subscriber) -> [String] {
    subscriber.values.map { String(decoding: $0.data, as: UTF8.self) }
  }

  @Test("Requests whose fields have equal values do not have equal hashes")
  func hashes() throws {
    let url = try #require(URL(string: "https://api.example.com/a"))
    let keys = (0..<1_000).compactMap { number in
      SharedRequestKey(
        URLRequest(url: url), with: ["X-A": "\(number)", "X-B": "\(number)"],
        as: { _ in .anonymous })
    }
    #expect(Set(keys.map(\.hashValue)).count > 990)
    #expect(Set(keys).count == 1_000)
  }

  @Test("A held exchange continues to its response after all callers cancelled")
  func held() {
    let world = World()
    #expect(!world.hold("a"))
    let caller = world.call()
    #expect(world.hold("a"))
    #expect(world.hold("a"))
    caller.cancel()
    #expect(world.cancelCount == 0)
    let later = world.call()
    #expect(world.begun == 1)
    later.cancel()
    world.answer()
    #expect(world.exchanges.count == 0)
  }

  @Test("Ten thousand callers make one exchange, and each gets its response and one end")
  func crowd() {
    let callers = (1...10_000).map { _ in world.call() }
    #expect(world.begun == 1)
    #expect(world.joined.value == 9_999)
    world.answer(0, "one")
    #expect(callers.allSatisfy { $0.values.count == 1 && $0.completions.count == 1 })
    #expect(callers.allSatisfy { $0.isFinished && $0.overlaps == 0 && $0.unaskedCount == 0 })
    #expect(world.exchanges.count == 0)
  }

  @Test("Callers get the response in the order of their arrival")
  func order() {
    let order = Lock<[Int]>([])
    for number in 1...5 {
      world.publisher().receive(
        subscriber: Subscriber { _, _ in
          order.withLock { $0.append(number) }
          return .none
        })
    }
    world.answer()
    #expect(order.withLock { $0 } == [1, 2, 3, 4, 5])
  }

  @Test("Another key is another exchange")
  func keys() {
    world.call("a")
    world.call("b")
    #expect(world.begun == 2)
    #expect(world.exchanges.count == 2)
  }

  @Test("A caller's response waits only for that caller's own demand")
  func demand() {
    let first = world.call(demand: .none)
    let second = world.call()
    let third = world.call(demand: .none)
    #expect(world.begun == 1)
    world.answer(0, "one")
    #expect(bodies(second) == ["one"])
    #expect(first.signals.count == 1 && third.signals.count == 1)
    third.request(.max(1))
    #expect(bodies(third) == ["one"])
    #expect(third.isFinished)
    first.cancel()
    first.request(.max(1))
    #expect(first.signals.count == 1)
  }

  @Test("A failure, and an end without a response, need no demand")
  func ends() {
    let first = world.call(demand: .none)
    let second = world.call()
    world[0].send(completion: .failure(TestFailure()))
    #expect(first.failure is TestFailure)
    #expect(second.failure is TestFailure)
    let third = world.call(demand: .none)
    world[1].send(completion: .finished)
    #expect(third.isFinished)
    #expect(world.begun == 2)
  }

  @Test("A caller after the response begins a new exchange, even if the response was not taken yet")
  func late() {
    let first = world.call(demand: .none)
    world[0].send(World.response("one"))
    let second = world.call()
    #expect(world.begun == 2)
    world[0].send(completion: .finished)
    #expect(first.signals.count == 1 && second.signals.count == 1)
    world.answer(1, "two")
    first.request(.max(1))
    #expect(bodies(first) == ["one"])
    #expect(bodies(second) == ["two"])
  }

  @Test("Cancels in every order leave the others alone, and the last cancel ends the exchange")
  func cancels() {
    for order in Self.permutations(of: [0, 1, 2, 3]) {
      let world = World()
      let callers = (0...3).map { _ in world.call() }
      for (index, caller) in order.enumerated() {
        #expect(world.cancelCount == 0)
        callers[caller].cancel()
        callers[caller].cancel()
        #expect(world.cancelCount == (index == 3 ? 1 : 0), "\(order)")
      }
      #expect(world.exchanges.count == 0)
      #expect(callers.allSatisfy { $0.signals.count == 1 })
      world.call()
      #expect(world.begun == 2)
    }
  }

  @Test("The remaining callers get the response after any cancels in any order")
  func someGo() {
    for order in Self.permutations(of: [0, 1, 2, 3]) {
      let world = World()
      let callers = (0...3).map { _ in world.call() }
      for caller in order.prefix(3) { callers[caller].cancel() }
      world.answer(0, "one")
      #expect(callers.map { $0.values.count } == (0...3).map { $0 == order[3] ? 1 : 0 })
      #expect(world.cancelCount == 0)
    }
  }

  private static func permutations(of items: [Int]) -> [[Int]] {
    guard let first = items.first else { return [[]] }
    return permutations(of: Array(items.dropFirst())).flatMap { rest in
      (0...rest.count).map { place in Array(rest[..<place]) + [first] + Array(rest[place...]) }
    }
  }

  @Test("Callers that come and go do not accumulate while one stays")
  func comeAndGo() {
    let stays = world.call()
    for _ in 1...10_000 { world.call().cancel() }
    let last = world.call()
    world.answer(0, "one")
    #expect(world.begun == 1)
    #expect(bodies(stays) == ["one"])
    #expect(bodies(last) == ["one"])
  }

  @Test("Of ten thousand callers that came and went, an exchange keeps a few")
  func gone() throws {
    let url = try #require(URL(string: "https://api.example.com/a"))
    let key = try #require(
      SharedRequestKey(URLRequest(url: url), with: [:]) { _ in .anonymous })
    let exchange = SharedExchange(
      key, patience: nil, context: SubscriptionContext(), in: SharedExchanges())
    func join() -> ResponseSubscription {
      exchange.add(AnySubscriber(TestSubscriber<RESTResponse, any Error>()))
    }
    let stays = join()
    for _ in 0..<10_000 { join().cancel() }
    #expect(exchange.takeCallers().count < 20)
    stays.cancel()
  }

  @Test("The order of a request's fields makes no difference to who asks")
  func fieldOrder() {
    let names = [
      "Cookie", "X-Api-Key", "X-Auth-Token", "Api-Key", "X-Access-Token", "X-Session-Id",
    ]
    let identities = [0, 32, 512, 8_192].map { capacity in
      // A dictionary with more room has another order.
      var fields = [String: String](minimumCapacity: capacity)
      for name in names { fields[name] = name }
      return RequestIdentity(
        of: fields, to: "", over: .plain, askedBy: nil, names: SecretNames())
    }
    #expect(Set(identities).count == 1)
  }

  @Test("A caller that repeats its call during its value or end begins a new exchange")
  func againFromValue() {
    let again = Lock<[Subscriber]>([])
    let subscriber = Subscriber { [world] _, _ in
      let next = world.call()
      again.withLock { $0.append(next) }
      return .none
    }
    world.publisher()
      .handleEvents(receiveCompletion: { [world] _ in
        let next = world.call()
        again.withLock { $0.append(next) }
      })
      .receive(subscriber: subscriber)
    let second = world.call()
    world.answer(0, "one")
    #expect(bodies(second) == ["one"])
    // The two that came from inside share theirs.
    #expect(world.begun == 2)
    world.answer(1, "two")
    #expect(again.withLock { $0 }.map(bodies) == [["two"], ["two"]])
  }

  @Test("A call during the cancel of an exchange begins a new one")
  func againFromCancel() {
    let again = Lock<[Subscriber]>([])
    let subscriber = Subscriber()
    world.publisher { [world] in
      world.begin().handleEvents(receiveCancel: {
        let next = world.call()
        again.withLock { $0.append(next) }
      })
      .eraseToAnyPublisher()
    }
    .receive(subscriber: subscriber)
    subscriber.cancel()
    #expect(world.begun == 2)
    world.answer(1, "two")
    #expect(again.withLock { $0 }.map(bodies) == [["two"]])
    #expect(subscriber.signals.count == 1)
  }

  @Test("A call repeated from receive(subscription:) joins, and the exchange begins once")
  func againFromSubscription() {
    let inner = Subscriber()
    let outer = Subscriber()
    world.publisher()
      .handleEvents(receiveSubscription: { [world] _ in
        world.publisher().receive(subscriber: inner)
      })
      .receive(subscriber: outer)
    #expect(world.begun == 1)
    world.answer(0, "one")
    #expect(bodies(inner) == ["one"])
    #expect(bodies(outer) == ["one"])
  }

  @Test("A caller that cancels at once begins nothing, unless another caller has joined")
  func cancelAtOnce() {
    let cancel: @Sendable (any Subscription) -> Void = { $0.cancel() }
    world.publisher().handleEvents(receiveSubscription: cancel).receive(subscriber: Subscriber())
    #expect(world.begun == 0)
    #expect(world.exchanges.count == 0)
    let joined = Subscriber()
    world.publisher()
      .handleEvents(receiveSubscription: { [world] subscription in
        world.publisher().receive(subscriber: joined)
        subscription.cancel()
      })
      .receive(subscriber: Subscriber())
    #expect(world.begun == 1)
    world.answer(0, "one")
    #expect(bodies(joined) == ["one"])
  }

  @Test("A caller cancelled during another's value gets no value and no end")
  func cancelledByNeighbor() {
    let second = Subscriber()
    world.publisher().receive(
      subscriber: Subscriber { _, _ in
        second.cancel()
        return .none
      })
    world.publisher().receive(subscriber: second)
    world.answer()
    #expect(second.signals.count == 1)
  }

  @Test("A caller that cancels during its value gets no end")
  func cancelFromValue() {
    let subscriber = Subscriber { subscriber, _ in
      subscriber.cancel()
      return .none
    }
    world.publisher().receive(subscriber: subscriber)
    world.answer()
    #expect(subscriber.values.count == 1)
    #expect(subscriber.completions.isEmpty)
  }

  @Test("Patience covers another that ends a tenth of the limit later, and none that ends after it")
  func tolerance() {
    let now = ContinuousClock.now
    let patience = ExchangePatience(limit: .seconds(60), end: now + .seconds(60))
    func covers(_ end: Duration) -> Bool {
      patience.covers(ExchangePatience(limit: .seconds(60), end: now + end))
    }
    #expect(covers(.seconds(66)))
    #expect(!covers(.seconds(66) + .nanoseconds(1)))
  }

  @Test("A caller with less patience than an exchange may take begins its own, which the next join")
  func patience() {
    let now = ContinuousClock.now
    let limit = Duration.seconds(60)
    let full = ExchangePatience(limit: limit, end: now + limit)
    let short = ExchangePatience(limit: limit, end: now + .seconds(5))
    let first = world.call(patience: full)
    let second = world.call(patience: short)
    #expect(world.begun == 2)
    let third = world.call(patience: full)
    let nearly = world.call(patience: ExchangePatience(limit: limit, end: now + .seconds(1)))
    #expect(world.begun == 2)
    world.answer(1, "two")
    #expect(bodies(second) == ["two"])
    #expect(bodies(third) == ["two"])
    #expect(bodies(nearly) == ["two"])
    #expect(first.signals.count == 1)
    first.cancel()
    #expect(world.cancelCount == 1)
  }

  @Test("A caller without a time limit joins any exchange, and only such callers join its own")
  func endlessPatience() {
    let limited = ExchangePatience(limit: .seconds(60), end: .now + .seconds(60))
    world.call(patience: nil)
    world.call(patience: limited)
    #expect(world.begun == 2)
    world.call(patience: nil)
    #expect(world.begun == 2)
  }

  @Test("An exchange has the context of the caller that began it")
  func context() {
    let seen = Lock<[CallCause]>([])
    let publisher = world.publisher { [world] in
      DeferredInContext { context in
        seen.withLock { $0.append(context[CallOrigin.Key.self]) }
        return world.begin()
      }
      .eraseToAnyPublisher()
    }
    publisher.context(CallOrigin.Key.self, .redirect).receive(subscriber: Subscriber())
    publisher.context(CallOrigin.Key.self, .retry).receive(subscriber: Subscriber())
    #expect(seen.withLock { $0 } == [.redirect])
  }
}
