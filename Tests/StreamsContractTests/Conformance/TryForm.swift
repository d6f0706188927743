import Streams
import StreamsFixtures
import StreamsTesting
import Testing

/// An operator whose closure may throw, in its three forms; each calls a check for the values that
/// its closure sees.
///
/// It makes three rows of the table of operators, where the check never throws; so an operator is
/// entered here and not there.
struct TryForm<Failure: Error>: Sendable, CustomTestStringConvertible {
  typealias Check = @Sendable (Int) throws(Failure) -> Void
  typealias Fallible = AnyPublisher<Int, Failure>
  typealias Infallible = AnyPublisher<Int, Never>

  /// The declared name.
  let name: String
  /// Its demand on the upstream.
  var demand = ConformanceTraits.Demand.passedOn
  /// The rules that do not apply, with the reasons.
  var skipped: [ConformanceRule: String] = [:]
  /// Its result for 1, 2, 3, if it makes one value of all.
  var result: String?
  let untyped: @Sendable (Fallible, @escaping Check) -> AnyPublisher<String, any Error>
  let typed: @Sendable (Fallible, @escaping Check) -> AnyPublisher<String, Failure>
  let fromNever: @Sendable (Infallible, @escaping Check) -> AnyPublisher<String, Failure>
  /// The typed form set up so that it changes nothing.
  var passing: (@Sendable (Fallible, Stage.Rig) -> Fallible)?
  /// The event that the closure of ``passing`` runs for.
  var trigger = Stage.Trigger.value

  var testDescription: String { name }

  static var all: [TryForm] { choosing + folding }

  /// Adds the typed form set up so that all values pass as they are, for the tests of
  /// ``Stage/all``.
  func changingNothing(
    trigger: Stage.Trigger = .value,
    _ attach: @escaping @Sendable (Fallible, Stage.Rig) -> Fallible
  ) -> TryForm {
    var form = self
    form.passing = attach
    form.trigger = trigger
    return form
  }
}

extension ConformanceEntry {
  /// The forms of all operators whose closure may throw.
  static let throwing: [ConformanceEntry] =
    zip(TryForm<ConformanceError>.all, TryForm<TestError>.all).flatMap {
      entries(of: $0, inTests: $1)
    }

  private static func entries(
    of form: TryForm<ConformanceError>, inTests: TryForm<TestError>
  ) -> [ConformanceEntry] {
    var typed = ConformanceEntry.operator(
      form.name, "typed", demand: form.demand, skipping: form.skipped
    ) {
      upstream, rig in form.typed(upstream) { _ in rig.touch() }
    }
    if let passing = inTests.passing {
      typed = typed.changingNothing(trigger: inTests.trigger, passing)
    }
    return [
      .operator(form.name, demand: form.demand, skipping: form.skipped) { upstream, rig in
        form.untyped(upstream) { _ in rig.touch() }
      },
      typed,
      .operator(
        form.name, "of what cannot fail", demand: form.demand, failures: .handled,
        skipping: form.skipped
      ) { upstream, rig in
        form.fromNever(upstream.infallible.eraseToAnyPublisher()) { _ in rig.touch() }
      },
    ]
  }
}

extension Publisher {
  /// Values as text.
  var inWords: AnyPublisher<String, Failure> {
    map { "\($0)" }.eraseToAnyPublisher()
  }
}
