import Foundation
import HTTPWire

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A request in Foundation's form, with the means to send its body again.
struct URLSessionMessage {
  let request: URLRequest
  let body: URLSessionBody
  let isRepeatable: Bool
  let timeout: Duration?
  /// Whether the timeout limits each silence instead of the whole exchange.
  let isIdleTimeout: Bool

  init(_ request: EngineRequest) throws(TransportError) {
    try request.validate()
    body = try URLSessionBody(request)
    isRepeatable = request.isRepeatable
    timeout = request.timeout ?? request.idleTimeout
    isIdleTimeout = request.timeout == nil
    guard body.isEmpty || request.method != "GET" else {
      throw .beforeSending(
        .invalidRequest, "URLSession refuses a body with GET; use another method or transport")
    }
    var message = URLRequest(url: try Self.url(request.url))
    message.httpMethod = request.method
    // Foundation sends "get" in capitals, which is another method (RFC 9110 §9.1).
    guard message.httpMethod == request.method else {
      throw .beforeSending(
        .invalidRequest, "Foundation sends its method in capitals; write it so, or use libcurl")
    }
    message.timeoutInterval = Self.idleTime(timeout)
    message.httpShouldHandleCookies = false
    message.setValue(EngineRequest.userAgent, forHTTPHeaderField: "User-Agent")
    message.setValue("*/*", forHTTPHeaderField: "Accept")
    try Self.set(request.headers, on: &message)
    try Self.set(body, on: &message, isRepeatable: isRepeatable)
    self.request = message
  }

  /// The stream for a repeated body; nil if the request must not be repeated, so that the server
  /// does not run it twice, or if the body's file is gone.
  var streamForRepeat: InputStream? { isRepeatable ? body.stream : nil }

  /// A description of the time that has passed at the end of the timeout.
  var expiry: String {
    guard let timeout else { return "" }
    return isIdleTimeout ? "the server was silent for \(timeout)" : "after \(timeout)"
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

  /// Foundation's timeout is the time between two bytes in whole seconds, and some values end the
  /// process.
  ///
  /// It is therefore only a fallback for the exact deadline of `URLSessionTasks`.
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
      // Foundation keeps one line per name. Cookies are joined according to RFC 6265 §4.2.1.
      let separator = HTTPHeaders.isSameName(name, "Cookie") ? "; " : ", "
      let value = headers.values(for: name)
        .map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " \t")) }
        .joined(separator: separator)
      message.setValue(value, forHTTPHeaderField: name)
      // Foundation silently drops some values.
      guard message.value(forHTTPHeaderField: name) == value else {
        throw .beforeSending(.invalidRequest, "Foundation refuses the value of the header \(name)")
      }
    }
  }

  #if canImport(FoundationNetworking)
    /// Every body is a stream on Linux: only a stream can be refused when libcurl repeats a request
    /// after a dead connection.
    ///
    /// The blank value of `Transfer-Encoding` makes libcurl send the body raw with the given length
    /// instead of chunked.
    private static func set(
      _ body: URLSessionBody, on message: inout URLRequest, isRepeatable: Bool
    ) throws(TransportError) {
      if body.isEmpty {
        if !isRepeatable { message.httpBodyStream = try body.opened() }
      } else {
        message.httpBodyStream = try body.opened()
        message.setValue(String(body.length), forHTTPHeaderField: "Content-Length")
        message.setValue(" ", forHTTPHeaderField: "Transfer-Encoding")
      }
      // Otherwise Foundation declares every body of a POST a form.
      if message.value(forHTTPHeaderField: "Content-Type") == nil {
        message.setValue(" ", forHTTPHeaderField: "Content-Type")
      }
    }
  #else
    private static func set(
      _ body: URLSessionBody, on message: inout URLRequest, isRepeatable: Bool
    ) throws(TransportError) {
      switch body {
      case .data(let data):
        if !data.isEmpty { message.httpBody = data }
      case .file(_, let length):
        message.httpBodyStream = try body.opened()
        message.setValue(String(length), forHTTPHeaderField: "Content-Length")
      }
    }
  #endif
}

/// The body of a request in the form that URLSession reads.
enum URLSessionBody {
  case data(Data)
  case file(URL, length: Int64)

  /// - Throws: `.invalidRequest` for an unreadable file, or a body that was sent before.
  init(_ request: EngineRequest) throws(TransportError) {
    guard let upload = request.upload else {
      self = .data(request.body ?? Data())
      return
    }
    switch try upload.begin() {
    case .data(let data): self = .data(data)
    case .file(let url): self = .file(url, length: try BodyFile(url).length)
    case .spool(let spool): self = .file(spool.file, length: spool.length)
    case .chunks:
      throw .beforeSending(
        .invalidRequest, "URLSession cannot wait for the chunks of a body")
    }
  }

  var length: Int64 {
    switch self {
    case .data(let data): Int64(data.count)
    case .file(_, let length): length
    }
  }

  var isEmpty: Bool { length == 0 }

  /// A stream of the whole body, from its start; nil if the file is gone or may not be read any
  /// more.
  ///
  /// On Linux, Foundation makes a stream of any URL, which fails only when it is opened.
  var stream: InputStream? {
    switch self {
    case .data(let data): InputStream(data: data)
    case .file(let url, _):
      FileManager.default.isReadableFile(atPath: url.path) ? InputStream(url: url) : nil
    }
  }

  /// A stream of the whole body, from its start.
  ///
  /// - Throws: `.invalidRequest` if the file is gone or may not be read any more.
  func opened() throws(TransportError) -> InputStream {
    guard let stream else {
      throw .beforeSending(
        .invalidRequest, "the body's file cannot be read; check that it is there and may be read")
    }
    return stream
  }
}

#if canImport(FoundationNetworking)
  /// A stream that cannot be read, so that sending it fails.
  ///
  /// On Linux, Foundation gets it when libcurl wishes to repeat a request: without a stream,
  /// Foundation would send on from the old one. On Apple's systems, Foundation accepts nil in place
  /// of a stream. There, `InputStream` is an abstract class of Objective-C, whose subclasses must
  /// not leave out what CFNetwork calls.
  final class RefusingInputStream: InputStream {
    init() { super.init(data: Data()) }

    override func open() {}
    override func close() {}
    override var hasBytesAvailable: Bool { true }
    override var streamStatus: Stream.Status { .open }
    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int { -1 }
  }
#endif
