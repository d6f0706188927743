import StreamsFixtures
import StreamsTesting
import Testing

@testable import Streams

@Suite("The feeds of a subject", .leakFree)
struct SubjectUpstreamTests {
  @Test(
    "C-7: a subject does not keep feeds that were cancelled or have ended",
    arguments: Sharing.subjects)
  func letsGoOfFeeds(kind: Setup<Sharing.MakeSubject>) {
    let subject = kind.make()
    feed(subject, times: 1_000)
    // The subject does not promise an exact count, because ended feeds are removed in batches.
    #expect(LiveSubscriptions.current.map { $0.count < 50 } == true)
    withExtendedLifetime(subject) {}
  }

  private func feed<Fed: Subject>(_ subject: Fed, times: Int)
  where Fed.Output == Int, Fed.Failure == TestError {
    for round in 0..<times {
      let source = PassthroughSubject<Int, TestError>()
      let feed = source.subscribe(subject)
      if round.isMultiple(of: 2) { feed.cancel() }
    }
  }

  @Test("The search for ended feeds runs when the number of feeds has doubled")
  func looksAtDoublings() {
    var upstreams = SubjectUpstreams()
    let looks = (0..<40).filter { _ in !upstreams.add(CountingSubscription()).isEmpty }
    #expect(looks == [8, 16, 32])
  }

  @Test("Running feeds stay, and an end of the subject cancels each of them")
  func keepsRunningFeeds() {
    let subject = PassthroughSubject<Int, TestError>()
    let sources = (0..<100).map { _ in TestPublisher<Int, TestError>() }
    let feeds = sources.map { $0.subscribe(subject) }
    for feed in feeds[20..<60] { feed.cancel() }
    let more = (0..<50).map { _ in TestPublisher<Int, TestError>() }
    let moreFeeds = more.map { $0.subscribe(subject) }
    subject.send(completion: .finished)
    #expect((sources + more).allSatisfy { $0.cancelCount == 1 })
    withExtendedLifetime((feeds, moreFeeds)) {}
  }

  @Test(
    "RS 2.6: the deinit of a subject cancels the subscriptions that were passed to it",
    arguments: Sharing.subjects)
  func deinitialization(kind: Setup<Sharing.MakeSubject>) {
    let subscription = CountingSubscription()
    do {
      let subject = kind.make()
      subject.send(subscription: subscription)
      #expect(subscription.cancels.count == 0)
    }
    #expect(subscription.cancels.count == 1)
  }

  @Test("RS 2.6: the deinit cancels them even if a subscriber keeps its subscription")
  func keptSubscription() {
    let subscription = CountingSubscription()
    let keeper = SubscriptionKeeper()
    do {
      let subject = PassthroughSubject<Int, Never>()
      subject.receive(subscriber: KeptSubscriber(keeper: keeper))
      subject.send(subscription: subscription)
    }
    #expect(subscription.cancels.count == 1)
    keeper.subscription?.cancel()
    #expect(subscription.cancels.count == 1)
  }

  @Test("The next search runs eight feeds later if the ended ones have made room")
  func looksAfterRoom() {
    var upstreams = SubjectUpstreams()
    let looks = (0..<40).filter { _ in
      let gate = UpstreamGate()
      gate.cancel()
      return !upstreams.add(GateSubscription(gate)).isEmpty
    }
    #expect(looks == [8, 16, 24, 32])
  }

  @Test("A feed passes on no request for none")
  func asksForNothing() {
    let gate = UpstreamGate()
    let upstream = CountingSubscription()
    let isAdmitted = gate.admit(upstream, for: Self.self)
    #expect(isAdmitted)
    let feed = GateSubscription(gate)
    feed.request(.none)
    #expect(upstream.requests.count == 0)
    feed.request(.max(1))
    #expect(upstream.requests.count == 1)
    feed.cancel()
  }
}
