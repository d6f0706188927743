import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("A tail goes on at the end of a file, and after each break", .leakFree)
struct FollowTests {
  private func lines(
    of file: GrowingFile, demand: Subscribers.Demand = .unlimited,
    version: ContentVersion = .entityTag, ifReplaced replaced: ReplacedContent = .fail,
    change: (inout ReconnectPolicy) -> Void = { _ in }
  ) -> TestSubscriber<String, any Error> {
    var policy = file.policy
    change(&policy)
    let subscriber = TestSubscriber<String, any Error>(demand: demand)
    file.events.follow(policy, version: version, ifReplaced: replaced) { $0.asking(from: $1) }
      .validateStatus().lines().receive(subscriber: subscriber)
    return subscriber
  }

  @Test("A 416 at the place means that there is nothing new yet, and a line grows over the pauses")
  func growth() {
    let file = GrowingFile([
      .file("\"a\"", "one\ntw"), .unsatisfied(6), .unsatisfied(6, tag: "\"a\"", end: .cut),
      .part("\"a\"", from: 6, "o\n"), .part("\"a\"", from: 8, "three", end: .reset),
      .part("\"a\"", from: 13, "\n"),
    ])
    let subscriber = lines(of: file)
    file.scheduler.advance(by: .seconds(15))
    #expect(subscriber.values == ["one", "two", "three"])
    #expect(
      file.field("Range")
        == [nil, "bytes=6-", "bytes=6-", "bytes=6-", "bytes=8-", "bytes=13-"])
    #expect(file.field("If-Range") == [nil] + Array(repeating: "\"a\"", count: 5))
    #expect(file.times.all == (0...5).map { .seconds(3 * $0) })
    #expect(subscriber.completion == nil)
    subscriber.cancel()
    file.scheduler.run()
    #expect(file.stubs.requests.count == 6)
  }

  @Test("A file whose tag changes as it grows is followed by its length")
  func changingTag() {
    let file = GrowingFile([
      .file("\"4\"", "one\n"), .unsatisfied(4), .part("\"8\"", from: 4, "two\n"), .unsatisfied(8),
      .unsatisfied(2),
    ])
    let subscriber = lines(of: file, version: .length)
    file.scheduler.run()
    #expect(subscriber.values == ["one", "two"])
    #expect(file.field("If-Range") == Array(repeating: nil, count: 5))
    let error = subscriber.failure as? RESTError
    #expect((error?.underlyingError as? ContentReplacedError)?.offset == 8)
    #expect(error?.log?.description.contains("the server ended the stream") == true)
  }

  @Test("A rotated file fails, or begins again after the pause, as the user says")
  func rotated() {
    for answer in [StubbedResponse.unsatisfied(5), .part("\"b\"", from: 6, "x")] {
      let failing = GrowingFile([.file("\"a\"", "one\ntw"), answer])
      let failed = lines(of: failing)
      failing.scheduler.run()
      #expect(failed.values == ["one"])
      #expect((failed.failure as? RESTError)?.underlyingError is ContentReplacedError)
      let file = GrowingFile([
        .file("\"a\"", "one\ntw"), answer, .file("\"b\"", "new\n"), .unsatisfied(4),
      ])
      let subscriber = lines(of: file, ifReplaced: .beginAgain)
      file.scheduler.advance(by: .seconds(9))
      #expect(subscriber.values == ["one", "new"])
      #expect(file.field("Range") == [nil, "bytes=6-", nil, "bytes=4-"])
      #expect(file.field("If-Range") == [nil, "\"a\"", nil, "\"b\""])
      #expect(file.times.all == [.zero, .seconds(3), .seconds(6), .seconds(9)])
      subscriber.cancel()
    }
    let file = GrowingFile([
      .file("\"a\"", "one\ntw"), .file("\"b\"", "new\n"), .unsatisfied(4),
    ])
    let subscriber = lines(of: file, ifReplaced: .beginAgain)
    file.scheduler.advance(by: .seconds(6))
    #expect(subscriber.values == ["one", "new"])
    subscriber.cancel()
  }

  @Test("A refusal ends it, also where its body breaks, and nothing is requested behind it")
  func brokenRefusal() {
    for end in [BodyEnd.complete, .cut, .reset] {
      let file = GrowingFile([
        .file("\"a\"", "one\n"), StubbedResponse(statusCode: 400, pieces: ["x"], end: end),
        .unsatisfied(4),
      ])
      let subscriber = lines(of: file)
      file.scheduler.run()
      #expect(subscriber.values == ["one"])
      #expect((subscriber.failure as? RESTError)?.kind == .status(400))
      #expect(file.stubs.requests.count == 2)
    }
  }

  @Test("A response that the server accepts gives back its part of the budget, without a byte")
  func budget() {
    let file = GrowingFile(
      (0..<12).map { $0.isMultiple(of: 2) ? .status(503) : .file(nil, end: .cut) })
    let subscriber = lines(of: file) {
      $0.maxDelay = .seconds(600)
      $0.retry?.budget = RetryBudget(burst: 2, successesPerRetry: 1)
    }
    file.scheduler.run()
    #expect(file.stubs.requests.count == 5)
    #expect(subscriber.failure != nil)
  }

  @Test("Values arrive on the policy's scheduler, whatever the transport delivers on")
  func delivery() {
    let file = GrowingFile([.file("\"a\"", "one\n", end: .silence)])
    let scheduler = TestScheduler()
    let subscriber = lines(of: file) { $0.retry?.scheduler = scheduler }
    file.scheduler.advance(by: .zero)
    #expect(file.stubs.requests.count == 1)
    #expect(subscriber.values.isEmpty)
    scheduler.advance(by: .zero)
    #expect(subscriber.values == ["one"])
    subscriber.cancel()
  }

  @Test("Any status of success is content, and no other status is")
  func content() {
    for status in [200, 299, 300] {
      let file = GrowingFile([
        StubbedResponse(statusCode: status, pieces: ["one\n"]), .unsatisfied(4),
      ])
      let subscriber = lines(of: file)
      file.scheduler.advance(by: .seconds(1))
      #expect(subscriber.values == (status == 300 ? [] : ["one"]))
      #expect((subscriber.completion == nil) == (status != 300))
      subscriber.cancel()
    }
  }

  @Test("The closure sees the place and the head")
  func head() {
    let file = GrowingFile([.file("\"a\"", "one\n"), .part("\"a\"", from: 4, "two\n")])
    let subscriber = TestSubscriber<TransferEvent, any Error>()
    file.events.follow(file.policy) { request, offset, head in
      request.settingHeader("Seen", to: "\(head.statusCode) \(offset)").asking(from: offset)
    }
    .receive(subscriber: subscriber)
    file.scheduler.advance(by: .seconds(3))
    #expect(file.field("Seen") == [nil, "200 4"])
    subscriber.cancel()
  }

  @Test("An empty file is requested again as a whole")
  func empty() {
    let file = GrowingFile([.file("\"a\""), .file("\"b\"", "one\n"), .unsatisfied(4)])
    let subscriber = lines(of: file)
    file.scheduler.advance(by: .seconds(6))
    #expect(subscriber.values == ["one"])
    #expect(file.field("Range") == [nil, nil, "bytes=4-"])
    #expect(file.field("If-Range") == [nil, nil, "\"b\""])
    subscriber.cancel()
  }

  // MARK: Pauses and limits

  @Test("The pauses grow while nothing comes, with a random time, up to the longest")
  func pauses() {
    let file = GrowingFile(
      [.file(nil, "one\n")] + (1...6).map { _ in .unsatisfied(4) }
        + [.part(nil, from: 4, "two\n"), .unsatisfied(8)])
    let subscriber = lines(of: file) { policy in
      policy.delay = .seconds(2)
      policy.maxDelay = .seconds(20)
      policy.retry?.generator = SeededGenerator(seed: 7)
    }
    file.scheduler.advance(by: .seconds(200))
    let times = file.times.all
    let waits = zip(times, times.dropFirst()).map { $1 - $0 }
    #expect(subscriber.values == ["one", "two"])
    for (number, wait) in waits.enumerated() {
      #expect(wait >= .seconds(2) && wait <= .seconds(20))
      // A response with something new resets the time that is added.
      let failures = number < 7 ? number : 0
      #expect(wait <= .seconds(2) + min(.seconds(2) * (1 << failures), .seconds(18)))
    }
    #expect(Set(waits).count == waits.count)
    subscriber.cancel()
  }

  @Test("A limit of responses in a row with nothing new finishes the stream")
  func limit() {
    let file = GrowingFile([
      .file(nil, "one\n"), .unsatisfied(4), .part(nil, from: 4, "two\n"), .unsatisfied(8),
      .status(503), .unsatisfied(8),
    ])
    let subscriber = lines(of: file) { $0.maxFailures = 3 }
    file.scheduler.run()
    #expect(subscriber.values == ["one", "two"])
    #expect(subscriber.isFinished)
    #expect(file.stubs.requests.count == 6)
  }

  @Test("Without reconnections after an end it is a retry that lives on over breaks")
  func ends() {
    let file = GrowingFile([.file(nil, "one\n", end: .cut), .part(nil, from: 4, "two\n")])
    let subscriber = lines(of: file) { $0.reconnectsAfterEnd = false }
    file.scheduler.run()
    #expect(subscriber.values == ["one", "two"])
    #expect(subscriber.isFinished)
  }

  @Test("A cancel ends the exchange or the pause, and no request follows")
  func cancel() {
    for (seconds, count) in [(1, 1), (3, 1), (7, 2)] {
      let file = GrowingFile([
        .file(nil, "one\n", .after(.seconds(2), "two\n")),
        .part(nil, from: 8, "three\n", end: .silence),
      ])
      let subscriber = lines(of: file)
      file.scheduler.advance(by: .seconds(seconds))
      subscriber.cancel()
      file.scheduler.run()
      #expect(file.stubs.requests.count == count)
      #expect(file.stubs.journal.last?.outcome == (seconds == 3 ? .answered(200) : .cancelled))
    }
  }

  // MARK: Other responses

  @Test("A transient status is not delivered, and its Retry-After is kept")
  func transient() {
    let file = GrowingFile([
      .status(503), .file(nil, "one\n"), .status(429, ["Retry-After": "60"]),
      .part(nil, from: 4, "two\n"),
    ])
    let subscriber = lines(of: file)
    file.scheduler.advance(by: .seconds(69))
    #expect(subscriber.values == ["one", "two"])
    #expect(file.times.all == [.zero, .seconds(3), .seconds(6), .seconds(69)])
    subscriber.cancel()
  }

  @Test("Nothing new behind a transient status is no end")
  func nothingNewBehindStatus() {
    let file = GrowingFile([
      .file(nil, "one\n"), .status(503), .unsatisfied(4), .part(nil, from: 4, "two\n"),
    ])
    let subscriber = lines(of: file)
    file.scheduler.advance(by: .seconds(9))
    #expect(subscriber.values == ["one", "two"])
    subscriber.cancel()
  }

  @Test("Another status is delivered, and its end finishes the stream")
  func refused() {
    let file = GrowingFile([.file(nil, "one\n"), .status(404)])
    let subscriber = lines(of: file)
    file.scheduler.run()
    #expect((subscriber.failure as? RESTError)?.kind == .status(404))
    let raw = GrowingFile([.file(nil, "one\n"), .status(404)])
    let events = TestSubscriber<TransferEvent, any Error>()
    raw.events.follow(raw.policy) { $0.asking(from: $1) }.receive(subscriber: events)
    raw.scheduler.run()
    #expect(events.isFinished)
    #expect(raw.stubs.requests.count == 2)
  }

  @Test("A POST is sent once")
  func post() {
    let scheduler = TestScheduler()
    let request = StubRequest(.post, urlString: LiveFeed.url)
    let stubs = StubTransport(
      StubAPIResponse(request: request, pieces: ["one\n"]), scheduler: scheduler)
    let subscriber = TestSubscriber<String, any Error>()
    TestAPI(transport: stubs).events(.post, endpoint: "feed")
      .follow(ReconnectPolicy(retry: .unbudgeted(scheduler))) { $0.asking(from: $1) }
      .lines().receive(subscriber: subscriber)
    scheduler.run()
    #expect(subscriber.values == ["one"])
    #expect(subscriber.isFinished)
  }

  @Test("The error of the closure ends the stream")
  func throwing() {
    let file = GrowingFile([.file(nil, "one\n")])
    let subscriber = TestSubscriber<TransferEvent, any Error>()
    file.events.follow(file.policy) { _, _ in throw TestFailure() }
      .receive(subscriber: subscriber)
    file.scheduler.run()
    #expect(subscriber.failure is TestFailure)
    #expect(file.stubs.requests.count == 1)
  }

  // MARK: Silence and demand

  @Test("A silence is a break, also behind a head")
  func silence() {
    let file = GrowingFile([
      .file(nil, "one\n", end: .silence),
      StubbedResponse(
        statusCode: 206, headers: ["Content-Range": "bytes 4-7/8"], end: .silence),
      .part(nil, from: 4, "two\n", end: .silence),
    ])
    let subscriber = lines(of: file) { $0.silence = .seconds(10) }
    file.scheduler.advance(by: .seconds(26))
    #expect(subscriber.values == ["one", "two"])
    #expect(file.times.all == [.zero, .seconds(13), .seconds(26)])
    subscriber.cancel()
  }

  @Test("Lines come one at a time, and demand is carried over from response to response")
  func demand() {
    let file = GrowingFile([
      .file(nil, "one\ntwo\n"), .part(nil, from: 8, "three\n"), .part(nil, from: 14, "four\n"),
    ])
    let subscriber = lines(of: file, demand: .max(1))
    file.scheduler.advance(by: .seconds(100))
    #expect(subscriber.values == ["one"])
    // The next response waits.
    #expect(file.stubs.requests.count == 2)
    subscriber.request(.max(2))
    file.scheduler.advance(by: .seconds(100))
    #expect(subscriber.values == ["one", "two", "three"])
    #expect(subscriber.unaskedCount == 0)
    subscriber.cancel()
  }
}
