import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A request in Foundation's form, and what is needed to send its body again.
struct URLSessionMessage {
  let request: URLRequest
  let body: URLSessionBody
  let isRepeatable: Bool
  let timeout: Duration?
  /// Whether the time-out is for each silence, and not for the whole.
  let isIdleTimeout: Bool
  /// Whether the response comes in pieces, and is not collected.
  let isInPieces: Bool

  init(_ request: EngineRequest) throws(TransportError) {
    try request.validate()
    body = try URLSessionBody(request)
    isRepeatable = request.isRepeatable
    timeout = request.timeout ?? request.idleTimeout
    isIdleTimeout = request.timeout == nil
    isInPieces = request.onEvent != nil
    guard body.isEmpty || request.method != "GET" else {
      throw .beforeSending(
        .invalidRequest, "URLSession refuses a body with GET; use another method or transport")
    }
    var message = URLRequest(url: try Self.url(request.url))
    message.httpMethod = request.method
    // It writes "get" in capitals, which is another method (RFC 9110 §9.1).
    guard message.httpMethod == request.method else {
      throw .beforeSending(
        .invalidRequest, "Foundation sends its method in capitals; write it so, or use libcurl")
    }
    message.timeoutInterval = Self.idleTime(timeout)
    message.httpShouldHandleCookies = false
    message.setValue(EngineRequest.userAgent, forHTTPHeaderField: "User-Agent")
    message.setValue("*/*", forHTTPHeaderField: "Accept")
    try Self.set(request.headers, on: &message)
    Self.set(body, on: &message, isRepeatable: isRepeatable)
    self.request = message
  }

  /// What to send when the body is asked for once more: all of it, or a stream that fails, which
  /// keeps the server from running twice what must not.
  var streamForRepeat: InputStream {
    isRepeatable ? body.stream : RefusingInputStream()
  }

  private static func url(_ text: String) throws(TransportError) -> URL {
    // Foundation's test of the scheme is case-sensitive.
    let scheme = text.prefix { $0 != ":" }
    let lowered = scheme.lowercased() + text[scheme.endIndex...]
    guard let url = URL(string: lowered, encodingInvalidCharacters: false), let host = url.host(),
      !host.isEmpty
    else {
      throw .beforeSending(.unsupportedURL, "Foundation cannot read it; check its host and escapes")
    }
    #if canImport(FoundationNetworking)
      guard !host.contains(":") && !host.contains("[") else {
        throw .beforeSending(
          .unsupportedURL, "URLSession on Linux cannot reach an IPv6 literal; use a name")
      }
    #endif
    return url
  }

  /// Foundation's time is that between two bytes, in whole seconds, and some values end the
  /// process; so it only stands behind the exact deadline of `URLSessionTasks`.
  private static func idleTime(_ timeout: Duration?) -> TimeInterval {
    let longest: Int64 = 365 * 86_400
    guard let timeout else { return TimeInterval(longest) }
    return TimeInterval(min(max(timeout.components.seconds, 0) + 2, longest))
  }

  private static func set(
    _ headers: HTTPHeaders, on message: inout URLRequest
  ) throws(TransportError) {
    var seen = HTTPHeaders()
    for (name, _) in headers where !seen.contains(name) {
      seen.append(name: name, value: "")
      // Foundation keeps one line of a name; cookies are joined by RFC 6265 §4.2.1.
      let separator = HTTPHeaders.isSameName(name, "Cookie") ? "; " : ", "
      let value = headers.values(for: name)
        .map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " \t")) }
        .joined(separator: separator)
      message.setValue(value, forHTTPHeaderField: name)
      // What Foundation does not like it drops without a word.
      guard message.value(forHTTPHeaderField: name) == value else {
        throw .beforeSending(.invalidRequest, "Foundation refuses the value of the header \(name)")
      }
    }
  }

  #if canImport(FoundationNetworking)
    /// On Linux only a stream can be refused when a dead connection makes libcurl send the request
    /// again, so every body is one.
    ///
    /// The blank for `Transfer-Encoding` makes libcurl send it raw, of the length that is set, in
    /// place of chunked.
    private static func set(
      _ body: URLSessionBody, on message: inout URLRequest, isRepeatable: Bool
    ) {
      if body.isEmpty {
        if !isRepeatable { message.httpBodyStream = body.stream }
      } else {
        message.httpBodyStream = body.stream
        message.setValue(String(body.length), forHTTPHeaderField: "Content-Length")
        message.setValue(" ", forHTTPHeaderField: "Transfer-Encoding")
      }
      // Else Foundation calls every body of a POST a form.
      if message.value(forHTTPHeaderField: "Content-Type") == nil {
        message.setValue(" ", forHTTPHeaderField: "Content-Type")
      }
    }
  #else
    private static func set(
      _ body: URLSessionBody, on message: inout URLRequest, isRepeatable: Bool
    ) {
      switch body {
      case .data(let data):
        if !data.isEmpty { message.httpBody = data }
      case .file(_, let length):
        message.httpBodyStream = body.stream
        message.setValue(String(length), forHTTPHeaderField: "Content-Length")
      }
    }
  #endif
}
