import Streams
import StreamsCombine
import StreamsTesting
import Synchronization
import Testing

@Suite("Cancellables of both libraries in one set")
struct CancellableTests {
  @Test("A sink of Streams lives in a set of Combine, and ends with it")
  func combineSet() {
    let source = TestPublisher<Int, Never>()
    let sum = Atomic<Int>(0)
    var cancellables = Set<CombineFramework.AnyCancellable>()
    source.sink { sum.add($0, ordering: .relaxed) }.store(in: &cancellables)
    source.send(1)
    #expect(source.cancelCount == 0)
    cancellables.removeAll()
    #expect(source.cancelCount == 1)
    source.send(2)
    #expect(sum.load(ordering: .relaxed) == 1)
  }

  @Test("A sink of Combine lives in a set of Streams, and ends with it")
  func streamsSet() {
    let source = TestPublisher<Int, Never>()
    let sum = Atomic<Int>(0)
    var cancellables = Set<Streams.AnyCancellable>()
    source.combinePublisher.combineSink { sum.add($0, ordering: .relaxed) }
      .store(in: &cancellables)
    source.send(1)
    #expect(source.cancelCount == 0)
    cancellables.removeAll()
    #expect(source.cancelCount == 1)
    source.send(2)
    #expect(sum.load(ordering: .relaxed) == 1)
  }

  @Test("A cancellable of Combine is cancelled once, however many threads cancel")
  func threads() {
    let cancels = Atomic<Int>(0)
    var cancellables = Set<Streams.AnyCancellable>()
    CombineFramework.AnyCancellable { cancels.add(1, ordering: .relaxed) }
      .store(in: &cancellables)
    let held = cancellables
    onThreads(8) { _ in
      for cancellable in held { cancellable.cancel() }
    }
    #expect(cancels.load(ordering: .relaxed) == 1)
  }

  // MARK: Subjects

  @Test("Streams can feed a subject of Combine, and Combine a subject of Streams")
  func subjects() {
    let source = TestPublisher<Int, Never>()
    let combine = CombineCurrentValueSubject<Int, Never>(0)
    let streams = Streams.CurrentValueSubject<Int, Never>(0)
    let feed = source.combinePublisher.subscribe(combine)
    let back = combine.streamsPublisher.subscribe(streams)
    source.send(7)
    #expect(combine.value == 7)
    #expect(streams.value == 7)
    source.send(completion: .finished)
    let subscriber = TestSubscriber<Int, Never>()
    streams.subscribe(subscriber)
    #expect(subscriber.isFinished)
    feed.cancel()
    back.cancel()
  }
}
