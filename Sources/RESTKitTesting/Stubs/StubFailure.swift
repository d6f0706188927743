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
    /// The closure of a response threw an error.
    case responseFailed
    /// A response is one that no server could send, or its body could not be made.
    case invalidStub
    /// Recorded exchanges were not written.
    case recordingFailed
  }

  public let kind: Kind
  /// The line of the stub, its verification or the recording.
  ///
  /// For an unmatched request, the line of the nearest stub, or of the ``StubTransport`` if it has
  /// no stubs.
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
  /// The first line of the description, and the place.
  var shortDescription: String {
    "\(firstLine) See the report at \(location)."
  }

  /// The first line of the description, and the place if it has none.
  var notice: String {
    let isPlaced = firstLine.contains("\(location)")
    return isPlaced ? "\(firstLine)" : "\(firstLine) See \(location)."
  }

  private var firstLine: Substring { description.prefix { $0 != "\n" } }

  /// Returns the same failure with a longer text.
  func adding(_ text: String) -> StubFailure {
    StubFailure(kind, at: location, "\(description)\n\(text)", underlyingError: underlyingError)
  }

  static func unused(_ step: StubStep, uses: Int) -> StubFailure {
    let count = step.uses.lowerBound
    let subject = uses == 0 ? "No request" : "Only \(uses) of \(count) requests"
    let remedy =
      step.recorded == nil
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
        \(step) cannot be sent: \(flaw.reason).
        \(flaw.remedy)
        """)
    }
  }

  static func response(
    of step: StubStep, to request: RequestSummary, error: any Error
  ) -> StubFailure {
    StubFailure(
      .responseFailed, at: step.location,
      "\(request) has no response: the closure at \(step.location) threw \(error)",
      underlyingError: error)
  }

  static func verification(
    _ verification: StubVerification, of request: RequestSummary, error: any Error
  ) -> StubFailure {
    StubFailure(
      .verificationFailed, at: verification.location,
      "\(request) fails the check at \(verification.location): \(error)", underlyingError: error)
  }
}

/// An error that lists deviations from the scripts.
///
/// ``StubTransport/verify()`` throws it. A call fails with it if no stub matches its request, or if
/// its stub is invalid.
public struct StubError: Error, Sendable, CustomStringConvertible {
  /// The failures, in the order in which they happened; never empty.
  public let failures: [StubFailure]
  /// Whether the test also reports the failures when it ends, at their lines.
  package let isReported: Bool

  init(failures: [StubFailure], isReported: Bool = false) {
    self.failures = failures
    self.isReported = isReported
  }

  /// Creates the error of one failure, with its whole description.
  package init(_ failure: StubFailure) {
    self.init(failures: [failure])
  }

  /// The descriptions of the failures, or only their first lines if the test reports them, too.
  public var description: String {
    failures.map { isReported ? $0.shortDescription : $0.description }.joined(separator: "\n")
  }
}

/// A location in a test.
///
/// A test library uses it to mark the line.
public struct StubLocation: Sendable, CustomStringConvertible {
  /// The module and file, such as `ShopTests/OrderTests.swift`.
  public let fileID: StaticString
  /// The path of the file on the machine that compiled it.
  public let filePath: StaticString
  public let line: UInt
  public let column: UInt

  public init(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) {
    self.fileID = fileID
    self.filePath = filePath
    self.line = line
    self.column = column
  }

  /// A text such as `ShopTests/OrderTests.swift:12`.
  public var description: String { "\(fileID):\(line)" }
}
