import RESTKit

/// Why a stubbed exchange failed, or why a test that used stubs did not do what its script says.
public enum StubError: Error, Sendable, CustomStringConvertible {
  /// A request came that no script was waiting for.
  case unmatchedRequest(RequestSummary, stubs: [String])
  /// Scripts have responses that nobody asked for.
  case unusedStubs([String])
  /// A request was not as a script demands.
  case verificationFailed(RequestSummary, at: String, reason: any Error)
  /// Several things went wrong.
  case several([StubError])

  public var description: String {
    switch self {
    case .unmatchedRequest(let request, let stubs):
      """
      No stub for \(request).
      \(stubs.isEmpty ? "There are no stubs." : "The stubs, in order:\n\(Self.list(stubs))")
      Add a stub for this request, or correct its method or URL.
      """
    case .unusedStubs(let stubs):
      """
      Nobody asked for:
      \(Self.list(stubs))
      Remove these stubs, or find out why the requests were not sent.
      """
    case .verificationFailed(let request, let place, let reason):
      "\(request) is not as the stub at \(place) demands: \(reason)"
    case .several(let errors):
      errors.map(\.description).joined(separator: "\n")
    }
  }

  private static func list(_ lines: [String]) -> String {
    lines.map { "  \($0)" }.joined(separator: "\n")
  }
}
