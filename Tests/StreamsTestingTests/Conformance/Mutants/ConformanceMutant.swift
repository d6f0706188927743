import Streams
import StreamsTesting
import Testing

/// Something that breaks rules on purpose, and that the kit must find.
struct ConformanceMutant: Sendable, CustomTestStringConvertible {
  /// What is wrong with it, for the table of Docs/Conformance.md.
  let name: String
  /// The rules that it breaks.
  let rules: [ConformanceRule]
  let report: @Sendable () async -> ConformanceReport

  var testDescription: String { name }

  static var all: [ConformanceMutant] {
    sources + publishers + stages + operators + hops + subjects
  }

  /// A line of the table.
  static func line(_ rule: ConformanceRule) -> String {
    let names = all.filter { $0.rules.contains(rule) }.map(\.name)
    let texts = names.joined(separator: "; ")
    return "| `\(rule.rawValue)` | \(names.count) | \(texts) |"
  }

  static func source(
    _ fault: BrokenSource.Fault, _ name: String, count: Int? = nil,
    patience: Duration = .seconds(20),
    _ rules: ConformanceRule...
  ) -> ConformanceMutant {
    ConformanceMutant(name: name, rules: rules) {
      await PublisherConformance(traits: ConformanceTraits(patience: patience)) { rig in
        BrokenSource(count: count ?? rig.count, fault: fault) { rig.touch() }
      }.report()
    }
  }

  static func publisher<Source: Publisher>(
    _ name: String, _ rules: ConformanceRule...,
    making make: @escaping @Sendable (ConformanceRig) -> Source
  ) -> ConformanceMutant {
    ConformanceMutant(name: name, rules: rules) {
      await PublisherConformance(making: make).report()
    }
  }

  /// A publisher of the rig's values that is tampered with.
  static func values(
    _ name: String, _ rules: ConformanceRule..., by tampering: Tampering<Int, Never>
  ) -> ConformanceMutant {
    ConformanceMutant(name: name, rules: rules) {
      await PublisherConformance { Tampered($0.values.publisher, tampering) }.report()
    }
  }

  static func stage(
    _ fault: StageFault, _ name: String, _ rules: ConformanceRule...
  ) -> ConformanceMutant {
    ConformanceMutant(name: name, rules: rules) {
      await OperatorConformance { upstream, _ in upstream.broken(fault) }.report()
    }
  }

  static func operation<Stream: Publisher>(
    _ name: String, _ rules: ConformanceRule..., traits: ConformanceTraits = ConformanceTraits(),
    attaching attach:
      @escaping @Sendable (AnyPublisher<Int, ConformanceError>, ConformanceRig) -> Stream
  ) -> ConformanceMutant {
    ConformanceMutant(name: name, rules: rules) {
      await OperatorConformance(traits: traits, attaching: attach).report()
    }
  }

  /// A correct operator that is tampered with on the side of its upstream.
  static func above(
    _ name: String, _ rules: ConformanceRule..., by tampering: Tampering<Int, ConformanceError>
  ) -> ConformanceMutant {
    ConformanceMutant(name: name, rules: rules) {
      await OperatorConformance { upstream, _ in
        Tampered(upstream, tampering).broken(.none)
      }.report()
    }
  }

  static func hop<Stream: Publisher>(
    _ name: String, _ rules: ConformanceRule...,
    attaching attach:
      @escaping @Sendable (AnyPublisher<Int, ConformanceError>, any Scheduler) -> Stream
  ) -> ConformanceMutant where Stream.Output == Int {
    ConformanceMutant(name: name, rules: rules) {
      await HopConformance(attaching: attach).report()
    }
  }

  static func subject<Tested: Subject>(
    _ name: String, _ rules: ConformanceRule..., patience: Duration = .seconds(20),
    making make: @escaping @Sendable () -> Tested
  ) -> ConformanceMutant where Tested.Output == Int {
    ConformanceMutant(name: name, rules: rules) {
      await SubjectConformance(patience: patience, making: make).report()
    }
  }
}
