import Foundation
import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The text about a request that no stub was waiting for: the nearest stubs, and how it differs.
struct StubReport: CustomStringConvertible {
  /// Whether a stub could have answered, were the request one that it is for.
  enum Standing: String {
    case next = "next"
    case later = "not yet its turn"
    case usedUp = "used up"

    /// How much it counts beside differences.
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

    /// How far the request is from this stub.
    var distance: Int {
      differences.reduce(standing.weight) { $0 + $1.weight }
    }
  }

  private static let mostStubs = 3
  private static let mostDifferences = 6

  let request: URLRequest
  let entries: [Entry]

  init(request: URLRequest, stubs: [(step: StubStep, standing: Standing)]) {
    self.request = request
    entries = stubs.map { step, standing in
      Entry(
        step: step, standing: standing, differences: step.request.differences(from: request))
    }
  }

  var description: String {
    let summary = "No stub for \(RequestSummary(request))."
    guard !entries.isEmpty else {
      return summary + "\nThere are no stubs. Give the StubTransport one for this request."
    }
    let nearest = entries.enumerated()
      .sorted { ($0.element.distance, $0.offset) < ($1.element.distance, $1.offset) }
      .prefix(Self.mostStubs).map(\.element)
    let heading =
      entries.count == 1
      ? "The only stub"
      : nearest.count == entries.count
        ? "The stubs, the nearest first" : "The nearest of \(entries.count) stubs"
    return
      ([summary, "\(heading) (- expected, + sent):"] + nearest.flatMap(Self.lines)
      + [remedy(nearest.first)]).joined(separator: "\n")
  }

  private static func lines(_ entry: Entry) -> [String] {
    let rest = entry.differences.count - mostDifferences
    let differences =
      entry.differences.prefix(mostDifferences).flatMap(\.lines)
      + (rest > 0 ? ["… and \(rest) differences more"] : [])
    return ["  \(entry.step), \(entry.standing.rawValue)"] + differences.map { "    \($0)" }
  }

  private func remedy(_ nearest: Entry?) -> String {
    guard let nearest, nearest.differences.isEmpty else {
      return "Add a stub for this request, or correct what differs."
    }
    return nearest.standing == .usedUp
      ? "Let the stub repeat with .repeats(…) or .always(), or send the request less often."
      : "Send the requests in the order of the script, or give the stub a script of its own."
  }
}
