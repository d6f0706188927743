import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("assign and Assign", .leakFree)
struct AssignTests {
  final class Target: Sendable {
    private let box = Box<[Int]>([])
    private let onRelease: @Sendable () -> Void

    init(onRelease: @escaping @Sendable () -> Void = {}) {
      self.onRelease = onRelease
    }

    deinit {
      onRelease()
    }

    var written: [Int] { box.value ?? [] }

    var value: Int {
      get { written.last ?? 0 }
      set { box.set(written + [newValue]) }
    }
  }

  @Test("assign writes each value to the property")
  func writes() {
    let target = Target()
    _ = [1, 2, 3].publisher.assign(to: \.value, on: target)
    #expect(target.written == [1, 2, 3])
  }

  @Test("C-4: a cancelled assign writes nothing more")
  func cancel() {
    let target = Target()
    let source = TestPublisher<Int, Never>()
    let cancellable = source.assign(to: \.value, on: target)
    #expect(source.requests == [.unlimited])
    source.send(1)
    cancellable.cancel()
    source.send(2)
    #expect(target.written == [1])
    #expect(source.cancelCount == 1)
  }

  @Test("C-7: the object is held until the end or a cancel", arguments: [true, false])
  func release(byCancel: Bool) {
    let source = TestPublisher<Int, Never>()
    let weak: Weak<Target>
    let cancellable: AnyCancellable
    do {
      let target = Target()
      weak = Weak(target)
      cancellable = source.assign(to: \.value, on: target)
    }
    #expect(!weak.isReleased)
    if byCancel { cancellable.cancel() } else { source.send(completion: .finished) }
    #expect(weak.isReleased)
    withExtendedLifetime(cancellable) {}
  }

  @Test("C-6: the object may cancel in its deinit")
  func reentrancy() {
    #expect(
      runsOnSmallStack(within: 20) {
        let source = TestPublisher<Int, Never>()
        let assign = Box<Subscribers.Assign<Target, Int>>()
        assign.set(
          Subscribers.Assign(object: Target { assign.value?.cancel() }, keyPath: \.value))
        if let made = assign.value { source.subscribe(made) }
        assign.value?.cancel()
        assign.set(nil)
      })
  }

  @Test(
    "C-15: values after the end are dropped and reported, and a second subscription is cancelled")
  func contractViolations() {
    let target = Target()
    let second = CountingSubscription()
    let reported = violations {
      let source = TestPublisher<Int, Never>()
      source.subscribe(Subscribers.Assign(object: target, keyPath: \.value))
      source.sendSubscription(second)
      source.send(completion: .finished, forgetting: false)
      source.send(1)
      source.send(completion: .finished)
    }
    #expect(target.written.isEmpty)
    #expect(second.cancels.count == 1)
    #expect(reported.map(\.rule) == [.secondSubscription, .valueAfterEnd, .secondEnd])
  }
}
