import Foundation

extension RESTError {
  /// Makes the error of a line that is too long or not text.
  ///
  /// - Parameters:
  ///   - unit: The name of a line in the text.
  ///   - request: The request of the body, or nil if it is unknown.
  init(_ error: LineError, unit: String = "line", request: RequestSummary? = nil) {
    let place = "\(unit) \(error.line) of the body"
    let (reason, remedy) =
      switch error.kind {
      case .tooLong(let limit):
        (
          "\(place) is longer than the limit of \(limit) bytes",
          "Check that the body is in the format that is read, or raise the operator's `limit`."
        )
      case .eventTooLong(let limit):
        (
          "the data of the event at \(place) is longer than the limit of \(limit) bytes",
          "Check that the server ends its events with an empty line, or raise the operator's `limit`."
        )
      case .invalidUTF8(let offset):
        (
          "\(place) is not UTF-8 at its byte \(offset)",
          "Have the server send UTF-8, or leave `invalidUTF8` at .replace."
        )
      case .malformed, .undecodable:
        ("\(place) does not decode", "Compare it with the type that was asked for.")
      }
    self.init(
      .malformedResponse, reason: reason, remedy: remedy, request: request, underlyingError: error)
  }

  /// Makes the error of an incomplete record of a JSON text sequence.
  init(_ fault: JSONLineFault, number: Int, text: Data) {
    let (reason, remedy) =
      switch fault {
      case .separator:
        (
          "does not begin with a record separator, U+001E",
          "If the body has a JSON text on each line, decode it as .newlineDelimited."
        )
      case .whitespaceBehindValue:
        (
          "may be cut: nothing follows its number or literal",
          "Have the server write a line feed after each record."
        )
      }
    self.init(
      .malformedResponse, reason: "record \(number) of the body \(reason)", remedy: remedy,
      head: nil, body: text, underlyingError: LineError(.malformed, line: number))
  }

  /// Makes the error of a part of a body that does not decode.
  ///
  /// - Parameters:
  ///   - place: The name of the part.
  ///   - text: The part.
  ///   - error: The decoder's error.
  ///   - underlyingError: Returns the underlying error to keep. The argument tells whether the part
  ///     is not even JSON.
  init(
    decoding type: Any.Type, from place: String, text: Data, error: any Error,
    underlyingError: (Bool) -> any Error
  ) {
    let failure = DecodingFailure(error, of: type, in: text)
    let isMalformed = failure.isMalformed
    let detail =
      failure.syntaxError.map { "not JSON at its byte \($0.offset): \($0.mismatch)" }
      ?? failure.reason
    self.init(
      isMalformed ? .malformedResponse : .decoding,
      reason: "\(place) does not decode as \(TypeName(type)): \(detail)",
      remedy: failure.remedy,
      head: nil, body: text, underlyingError: underlyingError(isMalformed))
  }
}
