import RESTKit

/// One thing that did not go by the scripts, and the line of the test that it belongs to.
public struct StubFailure: Error, Sendable, CustomStringConvertible {
  /// The class of a failure.
  public enum Kind: Sendable, Hashable {
    /// A request came that no stub was waiting for.
    case unmatchedRequest
    /// Nobody asked for a response, or not often enough.
    case unusedStub
    /// A request was not as `thenVerifyRequest` demands.
    case verificationFailed
    /// A response is one that no server could give.
    case invalidStub
  }

  public let kind: Kind
  /// Of an unmatched request, the line that made the ``StubTransport``; else that of the stub, or of
  /// its verification.
  public let location: StubLocation
  /// What happened, and what to do about it; never with the value of a header or of a field that is
  /// called like a secret.
  public let description: String
  /// What the verification threw.
  public let underlyingError: (any Error)?

  init(
    _ kind: Kind, at location: StubLocation, _ description: String,
    underlyingError: (any Error)? = nil
  ) {
    self.kind = kind
    self.location = location
    self.description = description
    self.underlyingError = underlyingError
  }
}

extension StubFailure {
  static func unused(_ step: StubStep, uses: Int) -> StubFailure {
    let count = step.uses.lowerBound
    let subject = uses == 0 ? "" : " but \(uses) of \(count) times"
    return StubFailure(
      .unusedStub, at: step.location,
      """
      Nobody asked\(subject) for \(step).
      Remove the stub, mark it .optional(), or find out why the request was not sent.
      """)
  }

  /// That a response is none that a server could give; nil where one can.
  static func flaw(of step: StubStep) -> StubFailure? {
    step.flaw.map { flaw in
      StubFailure(
        .invalidStub, at: step.location,
        """
        \(step) cannot be given: \(flaw).
        Give it the length of the pieces, or none; broken syntax is for a MockServer's .raw.
        """)
    }
  }

  static func verification(
    _ verification: StubVerification, of request: RequestSummary, error: any Error
  ) -> StubFailure {
    StubFailure(
      .verificationFailed, at: verification.location,
      "\(request) is not as \(verification.location) demands: \(error)", underlyingError: error)
  }
}
