import Foundation

/// How a task failed, in Foundation's terms, and the translation into ours.
///
/// On Linux most faults share one code, -1, and only libcurl's text tells them apart.
struct URLSessionFault {
  private let code: Int
  private let text: String

  init(_ error: (any Error)?) {
    let error = error.map { $0 as NSError }
    code = error?.code ?? NSURLErrorUnknown
    // Not the description of a whole error, whose user info holds the URL with its query.
    text = error?.localizedDescription ?? "the task ended without a response"
  }

  /// The fault of a call, with the status of its response where one came.
  func fault(behind status: Int? = nil) -> TransportError {
    let kind = kind
    // Its words are of a function that gave up, and of no memory.
    let detail = kind == .limitExceeded(.headerLineBytes) ? "more than libcurl takes" : text
    return TransportError(
      kind: kind, detail: detail,
      mayHaveBeenProcessed: status != nil || !kind.isBeforeSending,
      statusCode: status)
  }

  private var kind: TransportError.Kind {
    switch code {
    case NSURLErrorTimedOut: .timedOut
    case NSURLErrorCannotFindHost, NSURLErrorDNSLookupFailed: .hostNotFound
    case NSURLErrorCannotConnectToHost: .connectionRefused
    case NSURLErrorNotConnectedToInternet: .connectFailed
    case NSURLErrorNetworkConnectionLost: .connectionReset
    case NSURLErrorBadServerResponse:
      has("Empty reply") ? .connectionClosedBeforeResponse : .malformedResponse
    case NSURLErrorCannotParseResponse: .malformedResponse
    case NSURLErrorCannotDecodeRawData, NSURLErrorCannotDecodeContentData: .undecodableBody
    case NSURLErrorUnsupportedURL:
      // Said of answers, too, which the URL's own checks leave as the cause.
      has("HTTP") || has("Recv failure") ? .malformedResponse : .unsupportedURL
    case NSURLErrorBadURL: .unsupportedURL
    case NSURLErrorSecureConnectionFailed: .tlsFailed(TransportError.TLSReason(words: text))
    case NSURLErrorServerCertificateHasBadDate: .tlsFailed(.certificateExpired)
    case NSURLErrorServerCertificateNotYetValid: .tlsFailed(.certificateNotYetValid)
    case NSURLErrorServerCertificateUntrusted, NSURLErrorServerCertificateHasUnknownRoot:
      .tlsFailed(.untrustedIssuer)
    case NSURLErrorClientCertificateRejected, NSURLErrorClientCertificateRequired:
      .tlsFailed(.clientCertificateRefused)
    case NSURLErrorUnknown: kindByText
    default: .other(code: code)
    }
  }

  private var kindByText: TransportError.Kind {
    if has("transfer closed") { return .bodyCut }
    if has("Empty reply") { return .connectionClosedBeforeResponse }
    if has("Send failure") { return .sendFailed }
    if has("Recv failure") { return .connectionReset }
    if has("SSL") || has("certificate") {
      return .tlsFailed(TransportError.TLSReason(words: text))
    }
    if has("Failed to connect") || has("Couldn't connect") { return .connectFailed }
    if has("content unencoding") || has("content encoding") || has("Content or Transfer-Encoding")
      || has("Failed writing received data")
    {
      return .undecodableBody
    }
    if has("Too large response headers") { return .limitExceeded(.headerBytes) }
    // Of a header line past libcurl's own limit: requests of that size are refused before.
    if has("Out of memory") { return .limitExceeded(.headerLineBytes) }
    if has("chunk") || has("hexadecimal") || has("header") || has("Header")
      || has("Content-Length") || has("bad argument")
    {
      return .malformedResponse
    }
    return .other(code: code)
  }

  private func has(_ words: String) -> Bool { text.contains(words) }
}
