import Dispatch
import Foundation
import Streams
import StreamsTesting
import Testing

@Suite("LiveSubscriptions", .leakFree, .enabled(if: LiveSubscriptions.isCounting))
struct LiveSubscriptionsTests {
  @Test("A pipeline that ends or is cancelled leaves no object alive")
  func balanced() async throws {
    let values = try await LiveSubscriptions.assertNone {
      let ended = (0..<3).publisher.map { $0 * 2 }.retry(3).sink { _ in }
      let subject = PassthroughSubject<Int, Never>()
      let cancelled = subject.share().merge(with: Just(1)).sink { _ in }
      #expect(LiveSubscriptions.current?.count ?? 0 > 0)
      cancelled.cancel()
      withExtendedLifetime(ended) {}
      return try #require(LiveSubscriptions.current?.total)
    }
    #expect(values > 5)
  }

  @Test("C-7: a pipeline that holds its own cancellable is a leak, and the error names its objects")
  func cycle() async throws {
    let owner = Owner()
    let subject = PassthroughSubject<Int, Never>()
    let leak = await #expect(throws: LiveSubscriptions.Leak.self) {
      try await LiveSubscriptions.assertNone(within: .milliseconds(20)) {
        owner.keep(
          subject.receive(on: .immediate).sink { _ in owner.touch() })
      }
    }
    #expect(try #require(leak).names.contains("hopQueue"))
    #expect(try #require(leak).names.contains("subjectLink"))
    #expect("\(try #require(leak))".hasPrefix("\(try #require(leak).names.count) objects"))
    owner.keep(nil)
  }

  @Test("An open test subscriber is cancelled and does not count as a leak")
  func openSubscriber() async throws {
    let source = TestPublisher<Int, Never>()
    try await LiveSubscriptions.assertNone {
      source.receive(on: .immediate).subscribe(TestSubscriber<Int, Never>())
      #expect(source.subscriberCount == 1)
    }
    #expect(source.cancelCount == 1)
  }

  @Test("When the body throws, an open test subscriber is cancelled and the error thrown")
  func throwing() async {
    let source = TestPublisher<Int, Never>()
    await #expect(throws: CancellationError.self) {
      try await LiveSubscriptions.assertNone {
        source.subscribe(TestSubscriber<Int, Never>())
        throw CancellationError()
      }
    }
    #expect(source.cancelCount == 1)
  }

  @Test("Tasks count where they were started, and a thread counts when it resumes the count")
  func threads() async throws {
    let live = LiveSubscriptions()
    let subject = PassthroughSubject<Int, Never>()
    let owner = Owner()
    await live.resume {
      await Task { owner.keep(subject.sink { _ in }) }.value
    }
    let ofTask = live.count
    #expect(ofTask > 0)
    let other = Owner()
    await withCheckedContinuation { continuation in
      Thread {
        other.keep(subject.sink { _ in })
        #expect(live.count == ofTask)
        live.resume { owner.keep(subject.sink { _ in }) }
        continuation.resume()
      }.start()
    }
    #expect(live.total == 2 * ofTask)
    owner.keep(nil)
    #expect(live.count == 0)
    #expect(live.names == [])
    other.keep(nil)
  }

  @Test("Each object counts under its own name from its creation to its release")
  func counts() {
    let live = LiveSubscriptions()
    let subject = PassthroughSubject<Int, Never>()
    var sinks: [AnyCancellable] = live.resume { (0..<3).map { _ in subject.sink { _ in } } }
    let (count, total) = (live.count, live.total)
    #expect(count > 0)
    #expect(count == total)
    #expect(live.names.count == count)
    for name in ["subjectLink", "subjectEntry", "upstreamGate"] {
      #expect(live.names.filter { $0 == name }.count == 3)
    }
    sinks.removeLast()
    #expect(live.count == count / 3 * 2)
    #expect(live.names.filter { $0 == "subjectLink" }.count == 2)
    #expect(live.total == total)
    sinks = []
    #expect(live.count == 0)
    #expect(live.names == [])
  }
}

/// An object of an app that subscribes.
private final class Owner: Sendable {
  private let cancellable = Lock<AnyCancellable?>(nil)

  func keep(_ new: AnyCancellable?) {
    let old = cancellable.withLock { slot in
      defer { slot = new }
      return slot
    }
    withExtendedLifetime(old) {}
  }

  func touch() {}
}
