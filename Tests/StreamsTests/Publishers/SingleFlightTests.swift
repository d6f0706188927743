import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("SingleFlight", .leakFree)
struct SingleFlightTests {
  typealias Source = TestPublisher<Int, TestError>
  typealias Subscriber = TestSubscriber<Int, TestError>

  private let flights = SingleFlight<String, Int, TestError>()
  private let source = Source()
  private let starts = Tally()

  private func call(_ key: String = "a") -> Subscriber {
    let subscriber = Subscriber()
    flights.publisher(for: key) { [source, starts] in
      starts.add()
      return source
    }.subscribe(subscriber)
    return subscriber
  }

  @Test("Callers with one key share one run, all its values and its end")
  func shares() {
    let callers = [call(), call()]
    source.send(1)
    let late = call()
    source.send(2)
    source.send(completion: .finished)
    for caller in callers + [late] {
      #expect(caller.values == [1, 2])
      #expect(caller.isFinished)
    }
    #expect(starts.count == 1)
    #expect(source.subscriptionCount == 1)
  }

  @Test("A failure is shared, and the next call starts a new run")
  func failure() {
    let callers = [call(), call()]
    source.send(completion: .failure(.second))
    for caller in callers { #expect(caller.failure == .second) }
    let next = call()
    #expect(starts.count == 2)
    source.send(3)
    #expect(next.values == [3])
  }

  @Test("Different keys have separate runs")
  func keys() {
    _ = call("a")
    _ = call("b")
    #expect(starts.count == 2)
  }

  @Test("C-8: the run starts only with a subscription")
  func lazy() {
    _ = flights.publisher(for: "a") { [source, starts] in
      starts.add()
      return source
    }
    #expect(starts.count == 0)
  }

  @Test("One caller's cancel leaves the run to the others, and the last caller's cancels it")
  func cancel() {
    let callers = [call(), call()]
    callers[0].cancel()
    callers[0].cancel()
    #expect(source.cancelCount == 0)
    source.send(1)
    #expect(callers[1].values == [1])
    #expect(callers[0].values.isEmpty)
    callers[1].cancel()
    #expect(source.cancelCount == 1)
    _ = call()
    #expect(starts.count == 2)
  }

  @Test("A call from inside the end starts a new run")
  func callInsideEnd() {
    let second = Box<Subscriber>()
    let cancellable = flights.publisher(for: "a") { [source] in source }.sink(
      receiveCompletion: { [source, flights] _ in
        let subscriber = Subscriber()
        second.set(subscriber)
        flights.publisher(for: "a") { source }.subscribe(subscriber)
      }, receiveValue: { _ in }
    )
    source.send(completion: .finished)
    #expect(source.subscriptionCount == 2)
    source.send(7)
    #expect(second.value?.values == [7])
    cancellable.cancel()
  }

  @Test("C-7: a run that is over is released completely")
  func releases() throws {
    let probe = Box(ReleaseProbe())
    let weak = Weak(try #require(probe.value))
    let subscriber = Subscriber()
    if let held = probe.value {
      flights.publisher(for: "a") { [source] in
        source.map { value in
          held.touch()
          return value
        }
      }.subscribe(subscriber)
    }
    probe.set(nil)
    source.send(1)
    #expect(!weak.isReleased)
    source.send(completion: .finished)
    #expect(weak.isReleased)
  }

  @Test("Two threads call 10⁴ times: each call receives a whole run, and no two runs overlap")
  func threads() {
    let flights = SingleFlight<Int, Int, Never>()
    let log = Recording<Bool>()
    let runs = Tally()
    #expect(
      raceEnds(threads: 2, rounds: 10_000) { round, thread in
        let subscriber = TestSubscriber<Int, Never>()
        flights.publisher(for: 0) { () -> Just<Int> in
          Just(runs.add())
        }.subscribe(subscriber)
        if thread == 1, round.isMultiple(of: 3) {
          subscriber.cancel()
        }
        if subscriber.isFinished { log.add(subscriber.values.count == 1) }
      })
    #expect(!log.elements.contains(false))
    #expect(runs.count <= 20_000)
    #expect(runs.count >= 10_000)
  }
}
