import RESTKit

/// One deviation from the scripts, and the line of the test that it belongs to.
public struct StubFailure: Error, Sendable, CustomStringConvertible {
  /// The kind of a failure.
  public enum Kind: Sendable, Hashable {
    /// No stub matched a request.
    case unmatchedRequest
    /// A response was not used, or not often enough.
    case unusedStub
    /// A request did not pass a `thenVerifyRequest` check.
    case verificationFailed
    /// A response is one that no server could send.
    case invalidStub
    /// Recorded exchanges were not written.
    case recordingFailed
  }

  public let kind: Kind
  /// The line of the stub, its verification or the recording.
  ///
  /// For an unmatched request, the line of the nearest stub, or of the ``StubTransport`` if it has no
  /// stubs.
  public let location: StubLocation
  /// A text that says what happened and how to correct it.
  ///
  /// It shows the expected and the sent values, unless the ``StubTransport`` hides secrets.
  public let description: String
  /// The error that the verification threw.
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
  /// Returns the same failure with a longer text.
  func adding(_ text: String) -> StubFailure {
    StubFailure(kind, at: location, "\(description)\n\(text)", underlyingError: underlyingError)
  }

  static func unused(_ step: StubStep, uses: Int) -> StubFailure {
    let count = step.uses.lowerBound
    let subject = uses == 0 ? "No request" : "Only \(uses) of \(count) requests"
    let remedy =
      step.source == nil
      ? "Remove the stub, mark it .optional(), or find out why the request was not sent."
      : "Find out why the request was not sent, or record again with \(RecordingMode.variable)=1."
    return StubFailure(
      .unusedStub, at: step.location, "\(subject) came for \(step).\n\(remedy)")
  }

  /// Returns a failure if no server could send the response, or nil.
  static func flaw(of step: StubStep) -> StubFailure? {
    step.flaw.map { flaw in
      StubFailure(
        .invalidStub, at: step.location,
        """
        \(step) cannot be sent: \(flaw).
        Set it to the length of the pieces, or remove it. For broken syntax use .raw of MockServer.
        """)
    }
  }

  static func verification(
    _ verification: StubVerification, of request: RequestSummary, error: any Error
  ) -> StubFailure {
    StubFailure(
      .verificationFailed, at: verification.location,
      "\(request) fails the check at \(verification.location): \(error)", underlyingError: error)
  }
}
