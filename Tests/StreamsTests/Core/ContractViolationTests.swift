import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("ContractViolation", .leakFree)
struct ContractViolationTests {
  // Their names are in the reports about one test's streams and no other's.
  struct FirstMark: Sendable {}
  struct SecondMark: Sendable {}
  struct ThirdMark: Sendable {}

  @Test("C-15: an observer receives violations until it is cancelled")
  func observe() throws {
    let heard = Recording<ContractViolation>()
    let observer = ContractViolation.observe { violation in
      if violation.reporter.contains("FirstMark") { heard.add(violation) }
    }
    let source = TestPublisher<FirstMark, Never>()
    let cancellable = source.sink { _ in }
    source.send(completion: .finished, forgetting: false)
    source.send(FirstMark())
    #expect(heard.count == 1)
    let violation = try #require(heard.elements.first)
    #expect(violation.rule == .valueAfterEnd)
    #expect(violation.description.contains(violation.reporter))
    #expect(violation.description.contains(violation.rule.rawValue))
    observer.cancel()
    source.send(FirstMark())
    #expect(heard.count == 1)
    cancellable.cancel()
  }

  @Test("C-15: every observer receives violations until its cancellable is released")
  func severalObservers() {
    let heard = Recording<Int>()
    let source = TestPublisher<SecondMark, Never>()
    let keep = source.sink { _ in }
    source.send(completion: .finished, forgetting: false)
    let first = ContractViolation.observe { if $0.reporter.contains("SecondMark") { heard.add(1) } }
    do {
      let second = ContractViolation.observe {
        if $0.reporter.contains("SecondMark") { heard.add(2) }
      }
      source.send(SecondMark())
      withExtendedLifetime(second) {}
    }
    source.send(SecondMark())
    #expect(heard.elements == [1, 2, 1])
    withExtendedLifetime((first, keep)) {}
  }

  @Test("C-6: an observer may itself cause a violation, observe and cancel")
  func reentrancy() {
    let calls = Tally()
    #expect(
      runsOnSmallStack(within: 20) {
        let source = TestPublisher<[ThirdMark], Never>()
        let keep = source.sink { _ in }
        source.send(completion: .finished, forgetting: false)
        let observer = Box<AnyCancellable>()
        observer.set(
          ContractViolation.observe { violation in
            guard violation.reporter.contains("ThirdMark"),
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
