import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("A subject fed by a publisher", .leakFree)
struct SubscribeSubjectTests {
  typealias Feed = TestPublisher<Int, TestError>
  typealias Subscriber = TestSubscriber<Int, TestError>

  @Test("The subject passes on values and the end, and requests everything of the publisher")
  func feeds() {
    let source = Feed()
    let subject = PassthroughSubject<Int, TestError>()
    let subscriber = Subscriber()
    subject.subscribe(subscriber)
    let feed = source.subscribe(subject)
    #expect(source.requests == [.unlimited])
    source.send(1)
    source.send(2)
    source.send(completion: .failure(.first))
    #expect(subscriber.kinds == ["subscription", "1", "2", "failure first"])
    feed.cancel()
    #expect(source.cancelCount == 0)
  }

  @Test("Two publishers may feed one subject")
  func two() {
    let subject = PassthroughSubject<Int, Never>()
    let subscriber = TestSubscriber<Int, Never>()
    subject.subscribe(subscriber)
    let first = TestPublisher<Int, Never>()
    let second = TestPublisher<Int, Never>()
    let feeds = [first.subscribe(subject), second.subscribe(subject)]
    first.send(1)
    second.send(2)
    first.send(completion: .finished)
    #expect(subscriber.kinds == ["subscription", "1", "2", "finished"])
    #expect(second.cancelCount == 1)
    withExtendedLifetime(feeds) {}
  }

  @Test("C-4: dropping the feed cancels the publisher and leaves the subject open")
  func cancel() {
    let source = Feed()
    let subject = CurrentValueSubject<Int, TestError>(0)
    let subscriber = Subscriber()
    subject.subscribe(subscriber)
    var feed: AnyCancellable? = source.subscribe(subject)
    source.send(1)
    feed = nil
    #expect(feed == nil)
    #expect(source.cancelCount == 1)
    source.send(2)
    subject.send(3)
    #expect(subscriber.kinds == ["subscription", "0", "1", "3"])
  }

  @Test("An end of the subject cancels the publisher that feeds it")
  func endOfSubject() {
    let source = Feed()
    let subject = PassthroughSubject<Int, TestError>()
    let feed = source.subscribe(subject)
    subject.send(completion: .finished)
    #expect(source.cancelCount == 1)
    withExtendedLifetime(feed) {}
  }

  @Test("A subject that has ended cancels at once")
  func endedSubject() {
    let source = Feed()
    let subject = PassthroughSubject<Int, TestError>()
    subject.send(completion: .finished)
    let feed = source.subscribe(subject)
    #expect(source.cancelCount == 1)
    withExtendedLifetime(feed) {}
  }

  @Test("C-7: the end releases the subject, even if the feed is kept")
  func release() {
    let source = Feed()
    var subject: PassthroughSubject<Int, TestError>? = PassthroughSubject()
    weak let released = subject
    let feed = subject.map { source.subscribe($0) }
    subject = nil
    #expect(released != nil)
    source.send(completion: .finished)
    #expect(released == nil)
    withExtendedLifetime(feed) {}
  }
}
