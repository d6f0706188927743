import Foundation

/// What went wrong in a call, in RESTKit's words.
///
/// `kind` is for programs; `description` is for people: what happened, to which request, and what to
/// do. No text form holds a header's value, a query, a token or a body. The body of an error
/// response is in ``body``, for code that knows what it may show.
public struct RESTError: Error, Sendable {
  /// The class of an error.
  public enum Kind: Sendable, Equatable {
    /// The base URL is no place to send requests to.
    case invalidBaseURL
    /// The endpoint or its query cannot be joined to the base URL.
    case invalidEndpoint
    /// The request cannot be sent as it is.
    case invalidRequest
    /// There is no whole response: the network, the server or the engine failed.
    case transport(TransportError.Kind)
    /// The response's status is not one that was asked for.
    case status(Int)
    /// A redirect was not followed.
    case redirect
    /// The link to a next page was not followed.
    case pageLink
    /// A ``RateLimiter`` did not let the request wait for its turn; it was not sent.
    case rateLimit
    /// The body is not what its format demands.
    case malformedResponse
    /// A file on this machine cannot be read or written.
    case file
    /// The body is well formed but not the type that was asked for.
    case decoding
    /// The failure is none of RESTKit's own: ``underlyingError`` has it.
    ///
    /// Only `mapRESTError()` makes errors of this kind.
    case other
  }

  /// The longest body that an error keeps, in bytes.
  public static let maximumBodyLength = 64 * 1_024

  /// The class of the error.
  public let kind: Kind
  /// The request, as a text may tell it; nil where none was made.
  public let request: RequestSummary?
  /// The status and headers of the response, if there was one.
  public let response: ResponseHead?
  /// The response's body, or the line or event of it that the error is about, cut at
  /// ``maximumBodyLength``; nil if there was no response.
  public let body: Data?
  /// What the server says about the problem, if it says it in the form of RFC 9457.
  public let problem: ProblemDetails?
  /// How many times the request was sent.
  public internal(set) var attempts: Int
  /// What happened in the call until then; nil where nobody kept a log: a call has one if it may be
  /// sent again or somebody observes it.
  public internal(set) var log: CallLog?
  /// The error that caused this one, if any: a `TransportError`, a `DecodingError`.
  public let underlyingError: (any Error)?
  /// What happened, in words.
  public let reason: String
  /// What to do about it.
  public let remedy: String

  init(
    _ kind: Kind, reason: String, remedy: String, request: RequestSummary? = nil,
    response: RESTResponse? = nil, attempts: Int = 1, underlyingError: (any Error)? = nil
  ) {
    self.init(
      kind, reason: reason, remedy: remedy, request: request ?? response?.request,
      head: response?.head, body: response?.data, attempts: attempts,
      underlyingError: underlyingError)
  }

  /// - Parameter body: The response's body, or the part of it that the error is about.
  init(
    _ kind: Kind, reason: String, remedy: String, request: RequestSummary? = nil,
    head: ResponseHead?, body: Data?, attempts: Int = 1, underlyingError: (any Error)? = nil
  ) {
    self.kind = kind
    self.reason = reason
    self.remedy = remedy
    self.request = request
    response = head
    self.body = body.map { Data($0.prefix(Self.maximumBodyLength)) }
    problem = head.flatMap { ProblemDetails(head: $0, body: body ?? Data()) }
    self.attempts = attempts
    self.underlyingError = underlyingError
  }

}

extension RESTError: CustomStringConvertible, CustomDebugStringConvertible, LocalizedError {
  public var description: String {
    let subject = request.map { "\($0): " } ?? ""
    return "\(subject)\(reason). \(remedy)"
  }

  /// The description, and below it the log where there is one.
  public var debugDescription: String {
    log.map { "\(description)\n\($0)" } ?? description
  }

  public var errorDescription: String? { description }
}

extension RESTError: CustomReflectable {
  // `dump` would print the body's bytes.
  public var customMirror: Mirror {
    Mirror(self, children: ["description": description])
  }
}
