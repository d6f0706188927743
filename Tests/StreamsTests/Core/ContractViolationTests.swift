import Streams
import StreamsTesting
import Testing

@Suite("ContractViolation")
struct ContractViolationTests {
  /// Its name is in the reports about this test's streams and no other's.
  struct Marked: Sendable {}

  @Test("C-15: an observer hears of violations until it is cancelled")
  func observe() throws {
    let heard = Recording<ContractViolation>()
    let observer = ContractViolation.observe { violation in
      if violation.reporter.contains("Marked") { heard.add(violation) }
    }
    let source = TestPublisher<Marked, Never>()
    let cancellable = source.sink { _ in }
    source.send(completion: .finished, forgetting: false)
    source.send(Marked())
    #expect(heard.count == 1)
    let violation = try #require(heard.elements.first)
    #expect(violation.rule == .valueAfterEnd)
    #expect(violation.description.contains(violation.reporter))
    #expect(violation.description.contains(violation.rule.rawValue))
    observer.cancel()
    source.send(Marked())
    #expect(heard.count == 1)
    cancellable.cancel()
  }

  @Test("C-15: every observer hears, and dropping what observe returned ends it")
  func severalObservers() {
    let heard = Recording<Int>()
    let source = TestPublisher<(Marked, Int), Never>()
    let keep = source.sink { _ in }
    source.send(completion: .finished, forgetting: false)
    let first = ContractViolation.observe { if $0.reporter.contains("Marked, ") { heard.add(1) } }
    do {
      let second = ContractViolation.observe {
        if $0.reporter.contains("Marked, ") { heard.add(2) }
      }
      source.send((Marked(), 0))
      withExtendedLifetime(second) {}
    }
    source.send((Marked(), 0))
    #expect(heard.elements == [1, 2, 1])
    withExtendedLifetime((first, keep)) {}
  }

  @Test("C-6: an observer may cause a violation, observe and cancel")
  func reentrancy() {
    let calls = Tally()
    #expect(
      runsOnSmallStack(within: 20) {
        let source = TestPublisher<[Marked], Never>()
        let keep = source.sink { _ in }
        source.send(completion: .finished, forgetting: false)
        let observer = Box<AnyCancellable>()
        observer.set(
          ContractViolation.observe { violation in
            guard violation.reporter.contains("Array<"), violation.reporter.contains("Marked"),
              calls.add() == 1
            else { return }
            source.send([])
            observer.value?.cancel()
            source.send([])
          })
        source.send([])
        withExtendedLifetime(keep) {}
      })
    #expect(calls.count == 2)
  }
}
