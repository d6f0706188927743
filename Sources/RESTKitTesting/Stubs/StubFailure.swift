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
    /// Recorded exchanges were not written.
    case recordingFailed
  }

  public let kind: Kind
  /// Of an unmatched request, the line of the nearest stub, or that of the ``StubTransport`` where it has
  /// none; else that of the stub, its verification or the recording.
  public let location: StubLocation
  /// What happened, and what to do about it.
  ///
  /// It shows what was sent and what was expected, unless the ``StubTransport`` hides secrets.
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
  /// The same failure with something more to tell.
  func adding(_ text: String) -> StubFailure {
    StubFailure(kind, at: location, "\(description)\n\(text)", underlyingError: underlyingError)
  }

  static func unused(_ step: StubStep, uses: Int) -> StubFailure {
    let count = step.uses.lowerBound
    let subject = uses == 0 ? "" : " but \(uses) of \(count) times"
    let remedy =
      step.source == nil
      ? "Remove the stub, mark it .optional(), or find out why the request was not sent."
      : "Find out why the request was not sent, or record again with \(RecordingMode.variable)=1."
    return StubFailure(
      .unusedStub, at: step.location, "Nobody asked\(subject) for \(step).\n\(remedy)")
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
