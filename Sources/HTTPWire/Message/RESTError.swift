import Foundation

/// An error of a call.
///
/// `kind` is for programs. `description` is for people: it says what happened, to which request,
/// and what to do. No text form contains a header field's value, a query, a token or a body. The
/// body of an error response is in ``body``, for code that knows which parts may be shown.
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
  /// The response's body, or the line or event that the error is about, cut at
  /// ``maximumBodyLength``; nil if there was no response.
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

  package init(
    _ kind: Kind, reason: String, remedy: String, request: RequestSummary? = nil,
    response: RESTResponse? = nil, attempts: Int = 1, underlyingError: (any Error)? = nil
  ) {
    self.init(
      kind, reason: reason, remedy: remedy, request: request ?? response?.request,
      head: response?.head, body: response?.data, attempts: attempts,
      underlyingError: underlyingError)
  }

  /// - Parameter body: The response's body, or the part of it that the error is about.
  package init(
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

extension RESTError.Kind {
  /// Status 401: the server does not accept the credential.
  public static let unauthorized = Self.status(401)
  /// Status 403: the credential does not permit the request.
  public static let forbidden = Self.status(403)
  /// Status 404: the resource does not exist.
  public static let notFound = Self.status(404)
  /// Status 409: the request conflicts with the resource's state.
  public static let conflict = Self.status(409)
  /// Status 429: the client sent too many requests.
  public static let tooManyRequests = Self.status(429)
  /// The response did not come in time.
  public static let timedOut = Self.transport(.timedOut)
}

extension RESTError {
  /// Whether the response's status is 401.
  public var isUnauthorized: Bool { kind == .unauthorized }

  /// Whether the response's status is 403.
  public var isForbidden: Bool { kind == .forbidden }

  /// Whether the response's status is 404.
  public var isNotFound: Bool { kind == .notFound }

  /// Whether the response's status is one of 400...499, so that the request has to change.
  public var isClientError: Bool { isStatus(in: 400...499) }

  /// Whether the response's status is one of 500...599: the server failed.
  public var isServerError: Bool { isStatus(in: 500...599) }

  /// Whether the response did not come in time.
  public var isTimeout: Bool { kind == .timedOut }

  private func isStatus(in statuses: ClosedRange<Int>) -> Bool {
    if case .status(let status) = kind { statuses.contains(status) } else { false }
  }
}

extension RESTError {
  /// Creates the error of a base URL and an endpoint that do not make a URL.
  package init(_ error: URLJoinError, method: HTTPMethod) {
    let subject = error.excerpt.map { "\(error.part.rawValue) \"\($0)\"" } ?? error.part.rawValue
    self.init(
      error.part == .baseURL ? .invalidBaseURL : .invalidEndpoint,
      reason: "The \(method) request was not sent: the \(subject) \(error.reason)",
      remedy: error.remedy.capitalizedSentence)
  }

  /// Creates the error of a response that did not arrive, or not completely.
  ///
  /// - Parameters:
  ///   - fault: The transport's error. It becomes ``underlyingError``.
  ///   - request: The request without a response.
  ///   - head: The head, if it has arrived and only the body cannot be read; otherwise nil. A verb
  ///     then goes by the status: it follows the redirect, renews the token, or fails with the kind
  ///     `status`.
  ///   - body: The part of the body that has arrived, decoded; nil if none has.
  public init(
    _ fault: TransportError, request: RequestSummary, head: ResponseHead? = nil,
    body: Data? = nil
  ) {
    let isInvalid = fault.kind == .invalidRequest || fault.kind == .unsupportedURL
    self.init(
      isInvalid ? .invalidRequest : .transport(fault.kind), reason: fault.reason,
      remedy: fault.remedy, request: request, head: head, body: body, underlyingError: fault)
  }

  /// Creates the error of a body that cannot be encoded, so that the request was not sent.
  package init(unencodable error: any Error, request: RequestSummary?) {
    var place = "a value"
    var remedy = "The error's `underlyingError` tells why."
    if case EncodingError.invalidValue(let value, let context) = error {
      if !context.codingPath.isEmpty { place = DecodingFailure.place(context.codingPath) }
      if let number = value as? any FloatingPoint, !number.isFinite {
        remedy =
          "JSON has no infinity and no NaN: say how to write them with the encoder's "
          + "nonConformingFloatEncodingStrategy."
      }
    }
    self.init(
      .invalidRequest, reason: "the request was not sent: \(place) in its body cannot be encoded",
      remedy: remedy, request: request, attempts: 0, underlyingError: error)
  }

  /// Creates the error of a status that was not requested.
  package init(unacceptable response: RESTResponse) {
    self.init(unacceptable: response.head, body: response.data, request: response.request)
  }

  /// Returns this error with another remedy, or another error that led to it.
  package func replacing(
    remedy: String? = nil, underlyingError: (any Error)? = nil
  ) -> RESTError {
    var error = RESTError(
      kind, reason: reason, remedy: remedy ?? self.remedy, request: request, head: response,
      body: body, attempts: attempts, underlyingError: underlyingError ?? self.underlyingError)
    error.log = log
    return error
  }

  /// Creates the error of a status that was not requested.
  ///
  /// - Parameter request: The request of the response; nil if it is unknown.
  package init(unacceptable head: ResponseHead, body: Data, request: RequestSummary? = nil) {
    let phrase = HTTPStatus.phrase(for: head.statusCode).map { " \($0)" } ?? ""
    self.init(
      .status(head.statusCode), reason: "the server answered \(head.statusCode)\(phrase)",
      remedy: Self.remedy(for: head.statusCode)
        + "The server's own words are in the error's `problem` or `body`.", request: request,
      head: head, body: body)
  }

  private static func remedy(for status: Int) -> String {
    guard status == 415 else { return "" }
    return
      "Check the request's Content-Type, and whether the server takes gzip where the API has a "
      + "`requestCompression`. "
  }

  /// Creates the error of a body that is not JSON.
  init(_ error: JSONSyntaxError, in response: RESTResponse) {
    self.init(
      .malformedResponse, reason: "the response is \(error)", remedy: error.remedy,
      response: response, underlyingError: error)
  }

  /// Creates the error of a body that does not decode.
  package init(decoding type: Any.Type, from response: RESTResponse, error: any Error) {
    let failure =
      response.data.isEmpty
      ? DecodingFailure.noBody(status: response.statusCode)
      : DecodingFailure(error, of: type, in: response.data)
    self.init(
      failure.isMalformed ? .malformedResponse : .decoding,
      reason:
        "the response does not decode as \(TypeName(type)): \(failure.reason)",
      remedy: failure.remedy, response: response, underlyingError: error)
  }
}

extension String {
  /// The text with an upper-case first letter and a full stop at its end.
  fileprivate var capitalizedSentence: String {
    prefix(1).uppercased() + dropFirst() + (hasSuffix(".") ? "" : ".")
  }
}

extension CallJournal {
  /// Records a failure.
  ///
  /// Of an error of another type than ``RESTError``, it records only the type, since the error's
  /// text may contain anything.
  package func record(_ error: any Error) {
    let type = "\(Swift.type(of: error))"
    let (name, reason) =
      (error as? RESTError).map { ($0.failureClass, $0.reason) } ?? (type, type)
    recordFailure(name, because: reason)
  }
}

extension ExchangeEnd {
  /// The class of the failure in few words: a status of 400 or higher, a fault such as `timedOut`,
  /// or `cancelled`.
  ///
  /// It is nil without a failure.
  public var errorType: String? {
    if let failure {
      return (failure as? RESTError)?.failureClass ?? "\(type(of: failure))"
    }
    if let status, status >= 400 { return "\(status)" }
    return isCancelled ? "cancelled" : nil
  }
}

extension RESTError {
  /// One of few words, for programs: `401`, `timedOut`, `decoding`.
  fileprivate var failureClass: String {
    switch kind {
    case .status(let status): "\(status)"
    case .transport(let kind): String("\(kind)".prefix { $0 != "(" })
    default: "\(kind)"
    }
  }
}

extension RESTResponse {
  /// Records a failure in the call that this response ends, if there is a journal.
  ///
  /// - Returns: The error with the call's attempts and log.
  package func recording(_ error: RESTError) -> RESTError {
    guard let journal else { return error }
    journal.record(error)
    return error.telling(of: journal)
  }
}

extension RESTError {
  fileprivate func telling(of journal: CallJournal) -> RESTError {
    var error = self
    error.attempts = journal.attempts
    error.log = journal.log
    return error
  }
}

extension RESTError {
  /// Returns this error with a request, if it has none.
  package func naming(_ summary: RequestSummary?) -> RESTError {
    guard request == nil, let summary else { return self }
    var error = RESTError(
      kind, reason: reason, remedy: remedy, request: summary, head: response, body: body,
      attempts: attempts, underlyingError: underlyingError)
    error.log = log
    return error
  }
}

extension Error {
  /// Records this error in a call, and returns it with the call's attempts and log.
  package func recorded(in journal: CallJournal) -> any Error {
    journal.record(self)
    return telling(of: journal)
  }

  /// Returns this error with the call's attempts and log so far.
  ///
  /// An error of another type stays the same.
  package func telling(of journal: CallJournal) -> any Error {
    (self as? RESTError)?.telling(of: journal) ?? self
  }
}
