import Foundation
import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The report of a request without a stub: the nearest stubs, and the differences to them.
struct StubReport: CustomStringConvertible {
  /// Whether a stub was in turn for the request.
  enum Standing: String {
    case next = "next"
    case later = "not yet its turn"
    case usedUp = "used up"

    /// The weight, in addition to the differences.
    var weight: Int {
      switch self {
      case .next: 0
      case .later: 1
      case .usedUp: 2
      }
    }
  }

  struct Entry {
    let step: StubStep
    let standing: Standing
    let differences: [StubDifference]

    /// The distance between the request and this stub.
    var distance: Int {
      differences.reduce(standing.weight) { $0 + $1.weight }
    }
  }

  private static let mostStubs = 3
  private static let mostDifferences = 6

  private let request: URLRequest
  private let count: Int
  /// The nearest stubs, the nearest first.
  private let nearest: [Entry]
  private let hidesSecrets: Bool
  private let declared: DeclaredSecrets?

  init(
    request: URLRequest, stubs: [(step: StubStep, standing: Standing)], hidesSecrets: Bool = false,
    declared: DeclaredSecrets? = nil
  ) {
    self.request = request
    self.hidesSecrets = hidesSecrets
    self.declared = declared
    count = stubs.count
    let entries = stubs.map { step, standing in
      Entry(
        step: step, standing: standing, differences: step.request.differences(from: request))
    }
    nearest = entries.enumerated()
      .sorted { ($0.element.distance, $0.offset) < ($1.element.distance, $1.offset) }
      .prefix(Self.mostStubs).map(\.element)
  }

  /// The location of the nearest stub; nil if there is none.
  var location: StubLocation? { nearest.first?.step.location }

  var description: String {
    let summary = "No stub for \(RequestSummary(request))."
    guard !nearest.isEmpty else {
      return summary + "\nThere are no stubs. Give the StubTransport one for this request."
    }
    let heading =
      count == 1
      ? "The only stub"
      : nearest.count == count
        ? "The stubs, the nearest first" : "The nearest of \(count) stubs"
    return
      ([summary, "\(heading) (- expected, + sent):"] + nearest.flatMap(lines)
      + [remedy(nearest.first)]).joined(separator: "\n")
  }

  private func lines(_ entry: Entry) -> [String] {
    let rest = entry.differences.count - Self.mostDifferences
    let differences =
      entry.differences.prefix(Self.mostDifferences).flatMap {
        $0.lines(hidingSecrets: hidesSecrets, declared)
      }
      + (rest > 0 ? ["… and \(rest) more differences"] : [])
    let step = hidesSecrets ? entry.step.hiding(.byName.adding(declared)) : entry.step
    return ["  \(step), \(entry.standing.rawValue)"] + differences.map { "    \($0)" }
  }

  private func remedy(_ nearest: Entry?) -> String {
    if nearest?.step.recorded != nil {
      return "Correct what differs, or record the exchanges again with \(RecordingMode.variable)=1."
    }
    guard let nearest, nearest.differences.isEmpty else {
      return "Add a stub for this request, or correct what differs."
    }
    return nearest.standing == .usedUp
      ? "Let the stub repeat with .repeats(…) or .always(), or send the request less often."
      : "Send the requests in the order of the script, or give the stub a script of its own."
  }
}

extension StubFailure {
  /// Returns the same failure without the secrets that the names in its text tell.
  func hiding(_ redaction: Redaction?) -> StubFailure {
    guard let redaction else { return self }
    return StubFailure(
      kind, at: location, redaction.text(inside: description), underlyingError: underlyingError)
  }
}
