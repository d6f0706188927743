import Foundation

/// An error of a call.
///
/// `kind` is for programs. `description` is for people: it says what happened, to which request, and
/// what to do. No text form contains a header field's value, a query, a token or a body. The body of an
/// error response is in ``body``, for code that knows which parts may be shown.
public struct RESTError: Error, Sendable {
  /// The class of an error.
  public enum Kind: Sendable, Equatable {
    /// The base URL is not a valid address for requests.
    case invalidBaseURL
    /// The endpoint or its query cannot be joined to the base URL.
    case invalidEndpoint
    /// The request cannot be sent as it is.
    case invalidRequest
    /// There is no complete response: the network, the server or the transport's engine failed.
    case transport(TransportError.Kind)
    /// The response's status is not one of the accepted ones.
    case status(Int)
    /// A redirect was not followed.
    case redirect
    /// The link to a next page was not followed.
    case pageLink
    /// A ``RateLimiter`` did not let the request wait for its turn. The request was not sent.
    case rateLimit
    /// The body violates its format.
    case malformedResponse
    /// A file on this machine cannot be read or written.
    case file
    /// The body is well formed but does not match the requested type.
    case decoding
    /// The failure comes from other code. ``underlyingError`` has it.
    ///
    /// Only `mapRESTError()` makes errors of this kind.
    case other
  }

  /// The maximum size, in bytes, of an error's ``body``.
  public static let maximumBodyLength = 64 * 1_024

  /// The class of the error.
  public let kind: Kind
  /// A summary of the request that is safe to log; nil if no request was made.
  public let request: RequestSummary?
  /// The status and headers of the response, if there was one.
  public let response: ResponseHead?
  /// The response's body, or the line or event that the error is about, cut at ``maximumBodyLength``;
  /// nil if there was no response.
  public let body: Data?
  /// The server's description of the problem, if the response has the format of RFC 9457.
  public let problem: ProblemDetails?
  /// The number of times that the request was sent.
  public internal(set) var attempts: Int
  /// The log of the call so far; nil if the call has none.
  ///
  /// A call has a log if it may be sent again or is observed.
  public internal(set) var log: CallLog?
  /// The error that caused this one, if any, such as a `TransportError` or a `DecodingError`.
  public let underlyingError: (any Error)?
  /// The reason, in words.
  public let reason: String
  /// The remedy, in words.
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

  /// The description, followed by the log if there is one.
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
