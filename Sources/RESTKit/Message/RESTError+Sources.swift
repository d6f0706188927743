import Foundation

extension RESTError {
  /// Creates the error of a base URL and an endpoint that do not make a URL.
  init(_ error: URLJoinError, method: HTTPMethod) {
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
  public init(_ fault: TransportError, request: RequestSummary) {
    let isInvalid = fault.kind == .invalidRequest || fault.kind == .unsupportedURL
    self.init(
      isInvalid ? .invalidRequest : .transport(fault.kind), reason: fault.reason,
      remedy: fault.remedy, request: request, underlyingError: fault)
  }

  /// Creates the error of a body that cannot be encoded, so that the request was not sent.
  init(unencodable error: any Error, request: RequestSummary?) {
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
  init(unacceptable response: RESTResponse) {
    self.init(unacceptable: response.head, body: response.data, request: response.request)
  }

  /// Creates the error of a status that was not requested.
  ///
  /// - Parameter request: The request of the response; nil if it is unknown.
  init(unacceptable head: ResponseHead, body: Data, request: RequestSummary? = nil) {
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
  init(decoding type: Any.Type, from response: RESTResponse, error: any Error) {
    let failure =
      response.data.isEmpty
      ? DecodingFailure.noBody(status: response.statusCode)
      : DecodingFailure(error, of: type, in: response.data)
    self.init(
      failure.isMalformed ? .malformedResponse : .decoding,
      reason:
        "the response does not decode as \(DecodingFailure.name(of: type)): \(failure.reason)",
      remedy: failure.remedy, response: response, underlyingError: error)
  }
}

extension String {
  /// The text with an upper-case first letter and a full stop at its end.
  fileprivate var capitalizedSentence: String {
    prefix(1).uppercased() + dropFirst() + (hasSuffix(".") ? "" : ".")
  }
}
