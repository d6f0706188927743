import Foundation
import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The way of one response from a script to the client, by the rules of every engine: its framing,
/// its limits and its content coding.
struct StubIntake {
  /// The most bytes of a header line that libcurl takes, with its line break.
  private static let mostLineBytes = 102_399

  private let rules: ResponseIntake
  /// Whether the content coding is only a field: the body was decoded when it was recorded.
  private let isDecoded: Bool
  #if !os(Linux)
    /// The part of a gzip file that has arrived, which the rules do not decode on Apple's systems.
    private var packed: Data?
  #endif

  /// - Parameters:
  ///   - isCollected: Whether the limits on whole bodies apply.
  ///   - isDecoded: Whether the body is a recorded one, whose fields tell of another framing.
  init(
    _ request: URLRequest, limits: TransportLimits, isCollected: Bool, isDecoded: Bool = false
  ) {
    self.isDecoded = isDecoded
    rules = ResponseIntake(
      limits: limits, isCollected: isCollected,
      choosesCodings: request.value(forHTTPHeaderField: "Accept-Encoding") != nil)
  }

  mutating func take(_ head: ResponseHead) throws(TransportError) {
    for (name, value) in head.headers
    where name.utf8.count + value.utf8.count + ": \r\n".utf8.count > Self.mostLineBytes {
      throw TransportError(
        kind: .limitExceeded(.headerLineBytes), detail: "more than libcurl takes",
        mayHaveBeenProcessed: true, statusCode: head.statusCode)
    }
    try takeFraming(of: isDecoded ? head.withoutFraming : head)
  }

  private mutating func takeFraming(of head: ResponseHead) throws(TransportError) {
    #if os(Linux)
      try rules.take(head)
    #else
      guard head.headers["Content-Encoding"]?.lowercased() == "gzip" else {
        return try rules.take(head)
      }
      packed = Data()
      var headers = head.headers
      headers["Content-Encoding"] = nil
      try rules.take(
        ResponseHead(url: head.url, statusCode: head.statusCode, headers: headers))
    #endif
  }

  /// Returns the decoded bytes of the next bytes of the body; empty if more are needed.
  mutating func take(_ bytes: Data) throws(TransportError) -> Data {
    #if !os(Linux)
      guard packed == nil else {
        packed?.append(bytes)
        return Data()
      }
    #endif
    return try rules.take(bytes)
  }

  /// Notes the end of the body, and returns the decoded bytes that are left.
  mutating func finish() throws(TransportError) -> Data {
    #if !os(Linux)
      if let packed = packed.take(), !packed.isEmpty {
        guard let plain = Gunzip.decoded(packed) else {
          throw TransportError(
            kind: .undecodableBody, detail: "it is no whole gzip file", mayHaveBeenProcessed: true)
        }
        return try rules.take(plain)
      }
    #endif
    try rules.finish()
    return Data()
  }
}

extension ResponseHead {
  /// The head with other names for the fields that tell how a body is to be read, so that their
  /// lines count.
  fileprivate var withoutFraming: ResponseHead {
    let framing = ["Content-Encoding", "Content-Length", "Transfer-Encoding"]
    let fields = headers.map { name, value in
      framing.contains { HTTPHeaders.isSameName($0, name) }
        ? (name: "X-\(name)", value: value) : (name: name, value: value)
    }
    return ResponseHead(url: url, statusCode: statusCode, headers: HTTPHeaders(fields))
  }
}

extension HTTPHeaders {
  /// The fields as they arrive, without blanks around their values (RFC 9110 §5.5).
  var asReceived: HTTPHeaders {
    HTTPHeaders(
      map { name, value in (name: name, value: String(Substring(value).trimmingBlanks)) })
  }
}

extension String {
  /// Whether a blank is at one of its ends, which does not arrive.
  var hasBlankEnd: Bool { utf8.first?.isBlank == true || utf8.last?.isBlank == true }
}
