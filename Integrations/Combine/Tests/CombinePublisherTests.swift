import Streams
import StreamsCombine
import StreamsTesting
import Testing

@Suite("A Streams publisher as a Combine publisher")
struct CombinePublisherTests {
  enum Fault: Error, Equatable {
    case broken
  }

  // MARK: Demand

  @Test("A Combine subscriber receives the values of its demand, and the end after the last")
  func demand() {
    let probe = CombineProbe<Never>(asking: 2)
    (1...5).publisher.combinePublisher.subscribe(probe)
    #expect(probe.values == [1, 2])
    probe.request(2)
    #expect(probe.values == [1, 2, 3, 4])
    #expect(probe.completions.isEmpty)
    probe.request(-1)
    #expect(probe.values == [1, 2, 3, 4, 5])
    #expect(probe.completions == [.finished])
    #expect(probe.subscriptions == 1)
  }

  @Test("Demand that a Combine subscriber returns for a value adds up")
  func returnedDemand() {
    let probe = CombineProbe<Never>(asking: 1) { _, value in value == 2 ? 2 : value == 1 ? 1 : 0 }
    (1...9).publisher.combinePublisher.subscribe(probe)
    #expect(probe.values == [1, 2, 3, 4])
  }

  @Test("Demand reaches the upstream unchanged, and the largest as unlimited")
  func passedDemand() {
    let source = TestPublisher<Int, Never>()
    let probe = CombineProbe<Never>(asking: 0) { _, value in value }
    source.combinePublisher.subscribe(probe)
    for count in [3, .max, -1, 0] { probe.request(count) }
    #expect(source.requests == [.max(3), .unlimited, .unlimited, .none])
    #expect(source.send(7) == .max(7))
  }

  // MARK: Ends

  @Test("A failure keeps its type")
  func failure() {
    let probe = CombineProbe<Fault>(asking: 0)
    let failing: CombinePublisher<Fail<Int, Fault>> = Fail(error: Fault.broken).combinePublisher
    failing.subscribe(probe)
    #expect(probe.subscriptions == 1)
    #expect(probe.completions == [.failure(.broken)])
  }

  // MARK: Cancel

  @Test(
    "A cancel reaches the upstream once, and nothing comes after it", arguments: [0, 1, 2])
  func cancel(afterValues count: Int) {
    let source = TestPublisher<Int, Never>()
    let probe = CombineProbe<Never>()
    source.combinePublisher.subscribe(probe)
    for value in 0..<count { source.send(value) }
    probe.cancel()
    probe.cancel()
    source.send(9)
    source.send(completion: .finished)
    #expect(source.cancelCount >= 1)
    #expect(source.subscriberCount == 0)
    #expect(probe.values == Array(0..<count))
    #expect(probe.completions.isEmpty)
  }

  @Test("A cancel from inside a value is final")
  func cancelInside() {
    let probe = CombineProbe<Never> { probe, value in
      if value == 2 { probe.cancel() }
      return 0
    }
    (1...5).publisher.combinePublisher.subscribe(probe)
    #expect(probe.values == [1, 2])
    #expect(probe.completions.isEmpty)
  }

  @Test("A cancel and a request after the end do nothing")
  func afterEnd() {
    let probe = CombineProbe<Never>()
    (1...2).publisher.combinePublisher.subscribe(probe)
    probe.cancel()
    probe.request(1)
    #expect(probe.values == [1, 2])
    #expect(probe.completions == [.finished])
  }

  @Test("Operators of Combine that end early cancel the upstream")
  func earlyEnd() {
    let source = TestPublisher<Int, Never>()
    let probe = CombineProbe<Never>()
    source.combinePublisher.prefix(2).subscribe(probe)
    for value in 1...3 { source.send(value) }
    #expect(probe.values == [1, 2])
    #expect(source.cancelCount == 1)
  }

  // MARK: Release

  @Test("A subscriber is released by the end and by a cancel", arguments: [true, false])
  func release(byEnd: Bool) {
    let source = TestPublisher<Int, Never>()
    weak var weakProbe: CombineProbe<Never>?
    do {
      let probe = CombineProbe<Never>()
      weakProbe = probe
      source.combinePublisher.subscribe(probe)
      source.send(1)
      if byEnd { source.send(completion: .finished) } else { probe.cancel() }
      // The probe and its subscription hold each other, as those of a test may.
      probe.forget()
    }
    #expect(weakProbe == nil)
  }

  // MARK: Stack and context

  @Test("A million values, requested one by one, need constant stack")
  func constantStack() {
    onThread {
      let probe = CombineProbe<Never>(asking: 1) { _, _ in 1 }
      (1...manyValues).publisher.combinePublisher.subscribe(probe)
      #expect(probe.values.count == manyValues)
      let asking = CombineProbe<Never>(asking: 1) { probe, _ in
        probe.request(1)
        return 0
      }
      (1...manyValues).publisher.combinePublisher.subscribe(asking)
      #expect(asking.values.count == manyValues)
    }
  }

  private enum Screen: SubscriptionContextKey {
    static var defaultValue: String { "none" }
  }

  @Test("A context passes through erased publishers of Combine, and ends at its operators")
  func context() async throws {
    let screen = DeferredInContext { Just($0[Screen.self]) }
    let erased = screen.combinePublisher.eraseToAnyPublisher().streamsPublisher
    #expect(try await erased.context(Screen.self, "settings").firstValue == "settings")
    let mapped = screen.combinePublisher.map { $0 }.streamsPublisher
    #expect(try await mapped.context(Screen.self, "settings").firstValue == "none")
  }

  @Test("Combine's print names a subscription of Streams")
  func printing() {
    let lines = Lines()
    let probe = CombineProbe<Never>(asking: 1)
    (1...1).publisher.combinePublisher.print("numbers", to: lines).subscribe(probe)
    #expect(lines.all.first == "numbers: receive subscription: (Streams)")
  }

  private final class Lines: TextOutputStream {
    private(set) var all: [String] = []

    func write(_ text: String) {
      let line = text.trimmingPrefix { $0.isNewline }
      if !line.isEmpty { all.append(line.filter { !$0.isNewline }) }
    }
  }
}
