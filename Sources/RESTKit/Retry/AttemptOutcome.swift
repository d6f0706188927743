import Foundation

/// The outcome of an attempt, as far as a repetition depends on it.
enum AttemptOutcome: Equatable {
  case status(Int, retryAfter: Duration?)
  /// There is no complete response. The status is that of the received part, if there is one.
  case fault(TransportError.Kind, mayHaveBeenProcessed: Bool, status: Int? = nil)
  /// The server ended a stream that may go on with another attempt.
  case ended
  /// A failure that another attempt would not change, or with an unknown cause: a request that cannot
  /// be made, a refused redirect, a body that cannot be decoded, an error that is not RESTKit's.
  case otherFailure

  init(_ response: RESTResponse, now: Date) {
    self = .status(response.statusCode, retryAfter: response.headers.retryAfter(now: now))
  }

  init(_ error: any Error, now: Date) {
    // Another attempt would have no more time.
    guard let error = error as? RESTError, !(error.underlyingError is CallDeadlineError) else {
      self = .otherFailure
      return
    }
    switch error.kind {
    case .status(let status):
      self = .status(status, retryAfter: error.response?.headers.retryAfter(now: now))
    case .transport(let kind):
      let fault = error.underlyingError as? TransportError
      self = .fault(
        kind, mayHaveBeenProcessed: fault?.mayHaveBeenProcessed ?? true, status: fault?.statusCode)
    case .invalidBaseURL, .invalidEndpoint, .invalidRequest, .redirect, .pageLink, .rateLimit,
      .malformedResponse, .file, .decoding, .other:
      self = .otherFailure
    }
  }
}

extension AttemptOutcome: CustomStringConvertible {
  var description: String {
    switch self {
    case .status(let status, nil): "the answer was \(status)"
    case .status(let status, let wait?): "the answer was \(status) with Retry-After \(wait)"
    case .fault(let kind, _, _): "the attempt ended with \(kind)"
    case .ended: "the server ended the stream"
    case .otherFailure: "the attempt failed"
    }
  }
}
