import Streams
import Testing

@testable import StreamsTesting

// Of what the kit leaves open at its end, only its own threads do not count.
@Suite("The provocations of the conformance kit", .leakFree, .timeLimit(.minutes(10)))
struct ConformanceScenarioTests {
  private typealias Provocation = (name: String, run: (ConformanceLog) -> Void)

  private func tested(by provocations: [Provocation]) -> String {
    provocations.map { name, run in
      let log = ConformanceLog(name)
      run(log)
      #expect(log.entries.findings.isEmpty, "\(name)")
      let rules = ConformanceRule.allCases.filter { log.entries.tested.contains($0) }
      let texts = rules.map(\.rawValue).joined(separator: " ")
      return "\(name):\n  \(texts.isEmpty ? "nothing" : texts)"
    }.joined(separator: "\n")
  }

  private let traits = ConformanceTraits()

  @Test("Each provocation of a publisher tests its rules")
  func publishers() {
    let make: @Sendable (ConformanceRig) -> AnyPublisher<Int, Never> = { rig in
      rig.values.publisher.map { value in
        rig.touch()
        return value
      }.eraseToAnyPublisher()
    }
    let seen = tested(
      by: Trial<Int, Never>.scenarios.map { name, run in
        (name, { run(Trial(make: make, traits: traits, log: $0)) })
      })
    #expect(seen == ConformanceScenarios.ofPublishers)
  }

  @Test("Each provocation of an operator tests its rules")
  func operators() {
    let attach:
      @Sendable (AnyPublisher<Int, ConformanceError>, ConformanceRig) -> AnyPublisher<
        Int, ConformanceError
      > = { upstream, rig in
        upstream.map { value in
          rig.touch()
          return value
        }.broken(.none).eraseToAnyPublisher()
      }
    let seen = tested(
      by: OperatorTrial<Int, ConformanceError>.scenarios.map { name, run in
        (name, { run(OperatorTrial(attach: attach, traits: traits, log: $0)) })
      })
    #expect(seen == ConformanceScenarios.ofOperators)
  }

  @Test("Each provocation of a hop or a subject tests its rules")
  func others() {
    let hops = tested(
      by: HopTrial<ConformanceError>.scenarios.map { name, run in
        (
          name,
          { log in
            run(HopTrial(attach: { $0.receive(on: $1).eraseToAnyPublisher() }, log: log))
          }
        )
      })
    #expect(hops == ConformanceScenarios.ofHops)
    let subjects = tested(
      by: SubjectTrial<PassthroughSubject<Int, ConformanceError>>.scenarios.map { name, run in
        (name, { run(SubjectTrial(make: { .init() }, patience: .seconds(20), log: $0)) })
      })
    #expect(subjects == ConformanceScenarios.ofSubjects)
  }
}
