import RESTKit
import RESTKitReports

/// A difference between the calls and the recording.
public enum HARReplayError: Error, Sendable, CustomStringConvertible {
  /// A request arrived, and no entry for it is left.
  case unmatched(RequestSummary, left: [HAREntry])
  /// Entries were not used.
  case unused([HAREntry])

  public var description: String {
    switch self {
    case .unmatched(let request, let left):
      """
      No recorded response is left for \(request).
      \(left.isEmpty ? "All entries are used." : "Entries left, in order:\n\(Self.list(left))")
      Record the traffic again, or find out why this request is sent.
      """
    case .unused(let entries):
      """
      No request came for:
      \(Self.list(entries))
      Record the traffic again, or find out why these requests are not sent.
      """
    }
  }

  private static func list(_ entries: [HAREntry]) -> String {
    entries.map { "  \($0)" }.joined(separator: "\n")
  }
}
