import Streams
import StreamsFixtures
import Testing

@Suite("AnyCancellable", .leakFree)
struct AnyCancellableTests {
  @Test("C-4: the closure runs once, however often cancel is called")
  func once() {
    let calls = Tally()
    let cancellable = AnyCancellable { calls.add() }
    #expect(calls.count == 0)
    cancellable.cancel()
    cancellable.cancel()
    #expect(calls.count == 1)
  }

  @Test("An AnyCancellable cancels when its last reference is released")
  func lifetime() {
    let calls = Tally()
    do { _ = AnyCancellable { calls.add() } }
    #expect(calls.count == 1)
  }

  @Test("C-7: a cancel releases everything that the cancellable holds")
  func release() {
    let probe: Weak<ReleaseProbe>
    let cancellable: AnyCancellable
    do {
      let object = ReleaseProbe()
      probe = Weak(object)
      cancellable = AnyCancellable { object.touch() }
    }
    #expect(!probe.isReleased)
    cancellable.cancel()
    #expect(probe.isReleased)
  }

  @Test("C-7: a cancel from inside the cancel also releases everything")
  func releaseFromInside() {
    let outer = Box<AnyCancellable>()
    let probe: Weak<ReleaseProbe>
    do {
      let object = ReleaseProbe()
      probe = Weak(object)
      outer.set(
        AnyCancellable {
          object.touch()
          outer.value?.cancel()
        })
    }
    #expect(!probe.isReleased)
    outer.value?.cancel()
    #expect(probe.isReleased)
    outer.set(nil)
  }

  @Test("P17: two threads cancel while a third releases it, and the upstream sees one cancel")
  func race() {
    let rounds = 1_000
    let tallies = (0..<rounds).map { _ in Tally() }
    let boxes = tallies.map { tally in Box(AnyCancellable { tally.add() }) }
    #expect(
      raceEnds(threads: 3, rounds: rounds) { round, thread in
        if thread == 2 {
          boxes[round].set(nil)
        } else {
          boxes[round].value?.cancel()
        }
      })
    #expect(tallies.allSatisfy { $0.count == 1 })
  }

  @Test("Sets and arrays store cancellables, and cancel those that they drop")
  func store() {
    let source = PassthroughSubject<Int, Never>()
    let heard = Recording<Int>()
    var set: Set<AnyCancellable> = []
    var array: [AnyCancellable] = []
    source.sink { heard.add($0) }.store(in: &set)
    source.sink { heard.add($0 * 10) }.store(in: &array)
    source.send(1)
    #expect(heard.elements == [1, 10])
    set.removeAll()
    source.send(2)
    #expect(heard.elements == [1, 10, 20])
    array = []
    source.send(3)
    #expect(heard.elements == [1, 10, 20])
  }

  @Test("A collection stores the cancellable itself, so it can be found and removed")
  func storeIdentity() {
    let tally = Tally()
    let cancellable = AnyCancellable { tally.add() }
    var set: Set<AnyCancellable> = []
    var array: [AnyCancellable] = []
    cancellable.store(in: &set)
    cancellable.store(in: &set)
    cancellable.store(in: &array)
    #expect(set == [cancellable])
    #expect(array == [cancellable])
    #expect(set.remove(cancellable) === cancellable)
    #expect(tally.count == 0)
  }

  @Test("An AnyCancellable can wrap another cancellable, and equals only itself")
  func identity() {
    let subscription = CountingSubscription()
    let one = AnyCancellable(subscription)
    let other = AnyCancellable(subscription)
    #expect(one == one)
    #expect(one != other)
    #expect(Set([one, one, other]).count == 2)
    #expect(one.hashValue != other.hashValue)
    one.cancel()
    #expect(subscription.cancels.count == 1)
  }

  @Test("A set or an array keeps any cancellable, and cancels it on release")
  func stored() {
    let (one, other) = (CountingSubscription(), CountingSubscription())
    var set: Set<AnyCancellable> = []
    one.store(in: &set)
    var list: [AnyCancellable] = []
    other.store(in: &list)
    #expect([one.cancels.count, other.cancels.count] == [0, 0])
    set = []
    #expect([one.cancels.count, other.cancels.count] == [1, 0])
    list = []
    #expect([one.cancels.count, other.cancels.count] == [1, 1])
  }
}
