import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("sink(on:) an actor", .leakFree)
struct ActorSinkTests {
  @Test("Values and the end arrive on the actor in order, one at a time")
  func order() async {
    let store = Store()
    let done = Latch()
    let cancellable = (0..<1_000).publisher.setFailureType(to: TestError.self).sink(
      on: store,
      receiveCompletion: { store, completion in
        store.preconditionIsolated()
        store.isFinished = completion == .finished
        done.fire()
      },
      receiveValue: { store, value in
        store.enter()
        await Task.yield()
        store.add(value)
      })
    await done.wait()
    #expect(await store.values == Array(0..<1_000))
    #expect(await store.isFinished)
    #expect(await !store.hasOverlapped)
    cancellable.cancel()
  }

  @Test("The closure for the end receives a failure")
  func failure() async {
    let store = Store()
    let failed = Box<TestError>()
    let done = Latch()
    let cancellable = Fail(outputType: Int.self, failure: TestError.second).sink(
      on: store,
      receiveCompletion: { _, completion in
        if case .failure(let error) = completion { failed.set(error) }
        done.fire()
      }, receiveValue: { _, _ in })
    await done.wait()
    #expect(failed.value == .second)
    cancellable.cancel()
  }

  @Test("C-4: after a cancel on the actor nothing more arrives")
  func cancel() async {
    let store = Store()
    let source = PassthroughSubject<Int, Never>()
    let first = Latch()
    await store.keep(
      source.sink(on: store) { store, value in
        store.add(value)
        store.cancel()
        first.fire()
      })
    for value in 0..<100 { source.send(value) }
    await first.wait()
    source.send(100)
    for _ in 0..<100 { await Task.yield() }
    #expect(await store.values == [0])
  }

  @Test("C-4: a value on its way to the actor does not arrive after the actor cancels")
  func cancelBehindSend() async {
    let store = Store()
    let source = PassthroughSubject<Int, Never>()
    let first = Latch()
    await store.keep(
      source.sink(on: store) { store, value in
        store.add(value)
        first.fire()
      })
    source.send(1)
    await first.wait()
    await store.cancel(behind: 2, from: source)
    for _ in 0..<100 { await Task.yield() }
    #expect(await store.values == [1])
  }

  @Test("C-4: after a cancel the end does not arrive either")
  func cancelLeavesEndOut() async {
    let released = Latch()
    let ends = Tally()
    let source = PassthroughSubject<Int, Never>()
    let cancellable: AnyCancellable
    do {
      let store = Store(probe: ReleaseProbe { released.fire() })
      cancellable = source.sink(
        on: store, receiveCompletion: { _, _ in ends.add() }, receiveValue: { _, _ in })
    }
    cancellable.cancel()
    await released.wait()
    #expect(ends.count == 0)
  }

  @Test("C-4: a cancel reaches the source at once, even while a closure runs")
  func cancelWhileRunning() async {
    let (began, goOn) = (Latch(), Latch())
    let source = TestPublisher<Int, Never>()
    let cancellable = source.sink(on: Store()) { _, _ in
      began.fire()
      await goOn.wait()
    }
    source.send(1)
    await began.wait()
    cancellable.cancel()
    #expect(source.cancelCount == 1)
    goOn.fire()
  }

  @Test("C-7: a cancel releases the actor")
  func release() async {
    let released = Latch()
    let source = PassthroughSubject<Int, Never>()
    let cancellable: AnyCancellable
    do {
      let store = Store(probe: ReleaseProbe { released.fire() })
      cancellable = source.sink(on: store) { store, value in store.add(value) }
    }
    cancellable.cancel()
    await released.wait()
  }

  @Test("The main actor works like any other actor")
  @MainActor
  func mainActor() async {
    let done = Latch()
    let cancellable = Just(1).sink(on: MainActor.shared) { (_: isolated MainActor, _: Int) in
      MainActor.assertIsolated()
      done.fire()
    }
    await done.wait()
    cancellable.cancel()
  }

  @Test("P22: in 10,000 races with a cancel, no value sent after the cancel arrives")
  func race() async {
    let store = Store()
    for round in 0..<10_000 {
      let source = PassthroughSubject<Int, Never>()
      let cancellable = source.sink(on: store) { store, value in store.add(value) }
      source.send(round)
      if round.isMultiple(of: 2) { await Task.yield() }
      cancellable.cancel()
      source.send(-1)
    }
    #expect(await !store.values.contains(-1))
  }
}

private actor Store {
  var values: [Int] = []
  var isFinished = false
  var hasOverlapped = false
  private var isInside = false
  private var subscription: AnyCancellable?
  private let probe: ReleaseProbe?

  init(probe: ReleaseProbe? = nil) {
    self.probe = probe
  }

  func enter() {
    if isInside { hasOverlapped = true }
    isInside = true
  }

  func add(_ value: Int) {
    isInside = false
    values.append(value)
  }

  func keep(_ subscription: AnyCancellable) {
    self.subscription = subscription
  }

  func cancel() {
    subscription?.cancel()
  }

  func cancel(behind value: Int, from source: PassthroughSubject<Int, Never>) {
    source.send(value)
    cancel()
  }
}
