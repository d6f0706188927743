/// The reason why there is no response: a fault between client and server, the same on every
/// transport.
///
/// `kind` is for programs, `description` for people. Neither ever contains a header's value, a
/// URL's user info or a query.
public struct TransportError: Error, Sendable, Equatable {
  /// The class of a fault.
  ///
  /// The same event gives the same kind on each transport, as far as the engine distinguishes the
  /// events.
  public enum Kind: Sendable, Hashable {
    /// The URL is not an absolute http or https URL with a host and without user info.
    case unsupportedURL
    /// The method, a header field or its combination with a body cannot be sent. Nothing was sent.
    case invalidRequest
    /// The name of the host or the proxy has no address.
    case hostNotFound
    /// The host refused the connection, since no program listens on that port.
    case connectionRefused
    /// The connection failed for another reason.
    case connectFailed
    /// No trusted TLS connection could be made, for this reason. A repetition without a change
    /// would fail, too.
    case tlsFailed(TLSReason)
    /// The server closed the connection before the first byte of a response.
    case connectionClosedBeforeResponse
    /// The connection was reset or broke before the response was complete.
    case connectionReset
    /// The body ended before its announced length or before its last chunk.
    case bodyCut
    /// The received bytes are not an HTTP response.
    case malformedResponse
    /// The body's content encoding is unknown, or its data are corrupt.
    case undecodableBody
    /// The time limit of the call or of its connection has passed.
    case timedOut
    /// The request could not be sent completely.
    case sendFailed
    /// The response exceeded a limit of the transport.
    case limitExceeded(Limit)
    /// The engine under the transport is unavailable, or was shut down during the call.
    case engineUnavailable
    /// An option of the transport cannot be used.
    case invalidOptions
    /// Any other failure, with the engine's own code.
    case other(code: Int)
  }

  /// A limit on the size of a response.
  public enum Limit: Sendable, Hashable {
    /// The size of all its header lines in bytes.
    case headerBytes
    /// The size of one of its header lines in bytes. The engine sets this limit: 100 KiB with
    /// libcurl.
    case headerLineBytes
    /// The number of its header lines.
    case headerCount
    /// The size of its decoded body in bytes.
    case bodyBytes
    /// The size of its decoded body in bytes, if its status is an error's.
    case errorBodyBytes
    /// The ratio of its decoded bytes to its compressed bytes.
    case expansionRatio

    /// The property of ``TransportLimits`` that raises the limit, or nil if there is none.
    var property: String? { self == .headerLineBytes ? nil : "TransportLimits.\(self)" }
  }

  /// The class of the fault.
  public let kind: Kind

  /// The engine's own message, or the exact part that was refused, as one short line.
  public let detail: String

  /// Whether the server may have processed the request.
  ///
  /// It is false only if that is impossible. A request that must not run twice may be sent again
  /// only if it is false.
  public let mayHaveBeenProcessed: Bool

  /// The status of an incomplete response, or nil if no status arrived.
  public let statusCode: Int?

  /// Makes a fault.
  ///
  /// Control characters in the detail become spaces, a query in it is left out, and the detail is
  /// cut at 300 characters.
  public init(
    kind: Kind, detail: String = "", mayHaveBeenProcessed: Bool, statusCode: Int? = nil
  ) {
    self.kind = kind
    self.detail = Self.cleaned(detail)
    self.mayHaveBeenProcessed = mayHaveBeenProcessed
    self.statusCode = statusCode
  }

  private static func cleaned(_ text: String) -> String {
    var result = ""
    var isInQuery = false
    for scalar in text.unicodeScalars.prefix(300) {
      let isBlank = scalar.value <= 0x20 || scalar.value == 0x7F
      if isBlank { isInQuery = false }
      if scalar == "?" {
        result += "?…"
        isInQuery = true
      } else if !isInQuery {
        result += isBlank ? " " : String(scalar)
      }
    }
    return result
  }
}

extension TransportError {
  /// A fault before the server received anything.
  ///
  /// The same request may be sent again.
  package static func beforeSending(_ kind: Kind, _ detail: String) -> TransportError {
    TransportError(kind: kind, detail: detail, mayHaveBeenProcessed: false)
  }

  /// The detail of a time limit that has passed within the handshake.
  package static let unansweredHandshake = "the server did not answer the TLS handshake"

  /// The fault of an engine that is unavailable, or no longer available.
  package static func unavailable(_ detail: String) -> TransportError {
    beforeSending(.engineUnavailable, detail)
  }

  /// A fault after which the server may have processed the request.
  ///
  /// - Parameter status: The response's status, if one arrived.
  package static func afterSending(_ kind: Kind, _ detail: String, status: Int? = nil)
    -> TransportError
  {
    TransportError(kind: kind, detail: detail, mayHaveBeenProcessed: true, statusCode: status)
  }

  /// Returns this fault with the status of the response in which it occurred.
  package func behind(status: Int?) -> TransportError {
    .afterSending(kind, detail, status: status)
  }
}

extension TransportError: CustomStringConvertible {
  /// The fault, the engine's message, whether the server may have processed the request, and the
  /// remedy.
  public var description: String {
    "\(reason). \(remedy)"
  }

  /// The fault, the engine's message, and whether the server may have processed the request.
  package var reason: String {
    (detail.isEmpty ? explanation : "\(explanation) (\(detail.printable))")
      + (statusCode.map { "; its status was \($0)" } ?? "")
      + (mayHaveBeenProcessed
        ? "; the server may have processed the request"
        : "; the server did not process the request")
  }

  /// The fault of a body and the engine's message, within a sentence about its response.
  package var bodyReason: String {
    explanation.prefix(1).lowercased() + explanation.dropFirst()
      + (detail.isEmpty ? "" : " (\(detail.printable))")
  }

  private var explanation: String {
    switch kind {
    case .unsupportedURL: "The URL cannot be requested"
    case .invalidRequest: "The request cannot be sent as it is"
    case .hostNotFound: "The host's name was not found"
    case .connectionRefused: "The host refused the connection"
    case .connectFailed: "No connection could be made"
    case .tlsFailed(let failure): failure.explanation
    case .connectionClosedBeforeResponse: "The server closed the connection without a response"
    case .connectionReset: "The connection broke before the response was complete"
    case .bodyCut: "The response's body was cut short"
    case .malformedResponse: "The response is not valid HTTP"
    case .undecodableBody: "The response's content encoding cannot be decoded"
    case .timedOut: "The call's time limit has passed"
    case .sendFailed: "The request could not be sent completely"
    case .limitExceeded(.headerBytes): "The response's headers are larger than the limit"
    case .limitExceeded(.headerLineBytes): "A header line of the response is too long"
    case .limitExceeded(.headerCount): "The response has more header lines than the limit"
    case .limitExceeded(.bodyBytes): "The response's body is larger than the limit"
    case .limitExceeded(.errorBodyBytes): "The error response's body is larger than the limit"
    case .limitExceeded(.expansionRatio): "The response's body decompresses to more than the limit"
    case .engineUnavailable: "The HTTP engine is not available"
    case .invalidOptions: "The transport's options cannot be used"
    case .other(let code): "The HTTP engine failed with code \(code)"
    }
  }

  /// The remedy.
  package var remedy: String {
    switch kind {
    case .unsupportedURL:
      "Pass an absolute http:// or https:// URL with a host, without user:password@."
    case .invalidRequest:
      "Correct the part named above."
    case .hostNotFound:
      "Check the spelling of the host, the DNS and the proxy settings of this machine."
    case .connectionRefused:
      "Check that the server is running and that the port is right."
    case .connectFailed:
      "Check the network, the firewall, the proxy and the number of open files of this process."
    case .tlsFailed(let failure):
      failure.remedy
    case .connectionClosedBeforeResponse, .connectionReset, .bodyCut:
      "Look into the server's or its proxy's log for a crash or a time-out."
    case .malformedResponse:
      "Check that the port speaks HTTP and that http and https are not mixed up."
    case .undecodableBody:
      "Check the server's Content-Encoding, or ask for none with Accept-Encoding: identity, "
        + "with which a body in an unknown coding comes as it is."
    case .timedOut where detail == Self.unansweredHandshake:
      "Check that the port speaks https: one for plain http waits for a request instead of "
        + "answering. If it does, check whether the server is overloaded, or allow more time."
    case .timedOut:
      "Check whether the server is overloaded, or allow more time."
    case .sendFailed:
      "Look into the server's log for a limit on the size of requests."
    case .limitExceeded(let limit):
      limit.property.map { "Ask the server for less, or raise \($0) of the transport." }
        ?? "Have the server send shorter header lines; no option of the transport allows more."
    case .engineUnavailable:
      "Install libcurl 7.68 or newer, and keep the transport alive while calls run."
    case .invalidOptions:
      "Correct the option named above."
    case .other:
      "Look the code up in the engine's documentation."
    }
  }
}
