import Dispatch
import Streams
import Testing

@testable import StreamsTesting

@Suite("The provocations of the conformance kit", .leakFree, .timeLimit(.minutes(10)))
struct ConformanceScenarioTests {
  private typealias Provocation = (name: String, run: @Sendable (ConformanceLog) -> Void)

  /// Runs the provocations on threads of the kit's own, as it does: they may wait, and what they
  /// leave open does not count.
  private func tested(by provocations: [Provocation]) async -> String {
    await withCheckedContinuation { continuation in
      DispatchQueue(label: "provocations").async {
        let texts = provocations.map(Self.text)
        continuation.resume(returning: texts.joined(separator: "\n"))
      }
    }
  }

  private static func text(of provocation: Provocation) -> String {
    let log = ConformanceLog(provocation.name)
    let ends = ScenarioThread.runs(within: .seconds(120)) { provocation.run(log) }
    let rules = ConformanceRule.allCases.filter { log.entries.tested.contains($0) }
    let text = rules.isEmpty ? "nothing" : rules.map(\.rawValue).joined(separator: " ")
    let findings =
      log.entries.findings.isEmpty && ends ? "" : ", and fails: \(log.entries.findings)"
    return "\(provocation.name):\n  \(text)\(findings)"
  }

  private let traits = ConformanceTraits()

  @Test("Each provocation of a publisher tests its rules")
  func publishers() async {
    let make: @Sendable (ConformanceRig) -> AnyPublisher<Int, Never> = { rig in
      rig.values.publisher.map { value in
        rig.touch()
        return value
      }.eraseToAnyPublisher()
    }
    let seen = await tested(
      by: Trial<Int, Never>.scenarios.map { name, run in
        (name, { run(Trial(make: make, traits: traits, log: $0)) })
      })
    #expect(seen == ConformanceScenarios.ofPublishers)
  }

  @Test("Each provocation of an operator tests its rules")
  func operators() async {
    let attach:
      @Sendable (AnyPublisher<Int, ConformanceError>, ConformanceRig) -> AnyPublisher<
        Int, ConformanceError
      > = { upstream, rig in
        upstream.map { value in
          rig.touch()
          return value
        }.broken(.none).eraseToAnyPublisher()
      }
    let seen = await tested(
      by: OperatorTrial<Int, ConformanceError>.scenarios.map { name, run in
        (name, { run(OperatorTrial(attach: attach, traits: traits, log: $0)) })
      })
    #expect(seen == ConformanceScenarios.ofOperators)
  }

  @Test("Each provocation of a hop or a subject tests its rules")
  func others() async {
    let hops = await tested(
      by: HopTrial<ConformanceError>.scenarios.map { name, run in
        (
          name,
          { log in
            run(HopTrial(attach: { $0.receive(on: $1).eraseToAnyPublisher() }, log: log))
          }
        )
      })
    #expect(hops == ConformanceScenarios.ofHops)
    let subjects = await tested(
      by: SubjectTrial<PassthroughSubject<Int, ConformanceError>>.scenarios.map { name, run in
        (name, { run(SubjectTrial(make: { .init() }, patience: .seconds(20), log: $0)) })
      })
    #expect(subjects == ConformanceScenarios.ofSubjects)
  }
}
