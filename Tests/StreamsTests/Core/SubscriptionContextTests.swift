import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("A context goes upstream with a subscription", .leakFree)
struct SubscriptionContextTests {
  private enum Name: SubscriptionContextKey {
    static var defaultValue: String { "nobody" }
  }

  private enum Age: SubscriptionContextKey {
    static var defaultValue: Int { 0 }
  }

  private let reader = DeferredInContext { context in
    Just("\(context[Name.self]), \(context[Age.self])")
  }

  private func read(_ publisher: some Publisher<String, Never>) -> [String] {
    let subscriber = TestSubscriber<String, Never>()
    publisher.subscribe(subscriber)
    return subscriber.values
  }

  @Test("A value that was not set is the key's default")
  func defaults() {
    #expect(read(reader) == ["nobody, 0"])
  }

  @Test("Values of different keys are independent")
  func keys() {
    #expect(read(reader.context(Name.self, "Ada").context(Age.self, 36)) == ["Ada, 36"])
  }

  @Test("Of two values for one key, the one nearer the upstream counts")
  func nearer() {
    #expect(read(reader.context(Name.self, "near").context(Name.self, "far")) == ["near, 0"])
  }

  @Test("A context reaches the upstream of a subscriber whose type is hidden, and values come back")
  func hidden() {
    let hidden = reader.eraseToAnyPublisher()
      .context(Name.self, "Ada").eraseToAnyPublisher()
      .context(Age.self, 36).eraseToAnyPublisher()
    #expect(read(hidden) == ["Ada, 36"])
    let names = TestSubscriber<String, Never>()
    hidden.receive(subscriber: AnySubscriber(AnySubscriber(names)))
    #expect(names.values == ["Ada, 36"])
    #expect(names.isFinished)
  }

  @Test("C-16: a publisher that a closure makes later receives the context, too")
  func later() {
    let pages = Just(1).flatMap { _ in reader }.append(reader)
    #expect(read(pages.context(Name.self, "Ada")) == ["Ada, 0", "Ada, 0"])
  }

  @Test("C-16: the context passes through erasure, hops and subscriptions on a scheduler")
  func hops() {
    let scheduler = TestScheduler()
    let subscriber = TestSubscriber<String, Never>()
    reader.eraseToAnyPublisher().subscribe(on: scheduler).receive(on: scheduler)
      .context(Name.self, "Ada").subscribe(subscriber)
    scheduler.run()
    #expect(subscriber.values == ["Ada, 0"])
  }

  @Test("C-16: a shared upstream does not receive its subscribers' contexts")
  func shared() {
    #expect(read(reader.share().context(Name.self, "Ada")) == ["nobody, 0"])
  }

  @Test("Each subscription of a pipeline has its value, and no other pipeline has it")
  func twice() {
    let named = reader.context(Name.self, "Ada")
    #expect(read(named) + read(named) + read(reader) == ["Ada, 0", "Ada, 0", "nobody, 0"])
  }

  @Test("A context is a value, so setting one leaves the others unchanged")
  func value() {
    let first = SubscriptionContext().setting(Age.self, to: 1)
    let second = first.setting(Age.self, to: 2)
    #expect(first[Age.self] == 1 && second[Age.self] == 2 && second[Name.self] == "nobody")
  }

  @Test("A subscriber made of closures passes on the context that it was given")
  func closures() {
    let values = Recording<String>()
    reader.subscribe(
      AnySubscriber<String, Never>(
        receiveSubscription: { $0.request(.unlimited) },
        receiveValue: {
          values.add($0)
          return .none
        }, receiveCompletion: { _ in },
        context: SubscriptionContext().setting(Name.self, to: "Ada")))
    #expect(values.elements == ["Ada, 0"])
  }
}
