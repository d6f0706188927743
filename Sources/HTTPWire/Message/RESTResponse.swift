import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A complete response: a status, header fields and a body.
public struct RESTResponse: Sendable {
  // One reference: a response passes through many stages, and a copy of its parts would count eight
  // references.
  private let parts: Parts

  /// The journal of the call that the response ends; nil if there is none.
  package let journal: CallJournal?

  public init(
    head: ResponseHead, data: Data, request: RequestSummary, metrics: ExchangeMetrics? = nil
  ) {
    self.init(
      parts: Parts(head: head, data: data, request: request, metrics: metrics, cacheStatus: nil),
      journal: nil)
  }

  /// Makes a response of a cache.
  package init(head: ResponseHead, data: Data, request: RequestSummary, cacheStatus: CacheStatus) {
    self.init(
      parts: Parts(
        head: head, data: data, request: request, metrics: nil, cacheStatus: cacheStatus),
      journal: nil)
  }

  private init(parts: Parts, journal: CallJournal?) {
    self.parts = parts
    self.journal = journal
  }

  /// The status and the headers.
  public var head: ResponseHead { parts.head }

  /// The departure of the request, without a copy of the head; see ``ResponseHead``.
  package var departure: Departure? { parts.head.departure }

  /// The body, with its content encoding undone.
  public var data: Data { parts.data }

  /// A summary of the request that is safe to log.
  public var request: RequestSummary { parts.request }

  /// The times of the exchange, and its connection; nil if the transport has no metrics.
  ///
  /// After a redirect, they are those of the last exchange.
  public var metrics: ExchangeMetrics? { parts.metrics }

  /// The use of an ``HTTPCache`` for the request; nil if there was no cache.
  public var cacheStatus: CacheStatus? { parts.cacheStatus }

  /// Whether the response comes from a cache, and no server has confirmed it.
  package var isFromCache: Bool { parts.isFromCache }

  /// The status code (RFC 9110 §15).
  public var statusCode: Int { parts.head.statusCode }

  /// The header fields, in order, duplicates kept.
  public var headers: HTTPHeaders { parts.head.headers }

  /// The URL of the response: after redirects, the last URL.
  public var url: URL { parts.head.url }

  /// Whether the status is 200...299.
  public var isSuccess: Bool { 200...299 ~= statusCode }

  /// This response as Foundation's type, made anew each time.
  ///
  /// Lines of the same name are joined with commas.
  public var response: HTTPURLResponse {
    var fields: [String: String] = [:]
    for (name, _) in headers where fields[name] == nil {
      fields[name] = headers.values(for: name).joined(separator: ", ")
    }
    // The initializer is optional in its signature only: Foundation accepts any URL, status and
    // fields, and these values come from a server through a transport that has parsed them.
    guard
      let response = HTTPURLResponse(
        url: url, statusCode: statusCode, httpVersion: head.httpVersion, headerFields: fields)
    else {
      preconditionFailure("HTTPURLResponse refused the status \(statusCode)")
    }
    return response
  }

  private final class Parts: Sendable {
    let head: ResponseHead
    let data: Data
    let request: RequestSummary
    let metrics: ExchangeMetrics?
    let cacheStatus: CacheStatus?
    /// Whether the response comes from a cache, and no server has confirmed it.
    ///
    /// Each call checks this.
    let isFromCache: Bool

    init(
      head: ResponseHead, data: Data, request: RequestSummary, metrics: ExchangeMetrics?,
      cacheStatus: CacheStatus?
    ) {
      self.head = head
      self.data = data
      self.request = request
      self.metrics = metrics
      self.cacheStatus = cacheStatus
      isFromCache = cacheStatus.map { !$0.isOfServer } ?? false
    }
  }

  /// Returns this response with another body.
  package func replacingData(with data: Data) -> RESTResponse {
    replacing(head: head, data: data)
  }

  /// Returns another response to the same request, in the same call.
  package func replacing(head: ResponseHead, data: Data) -> RESTResponse {
    RESTResponse(
      parts: Parts(
        head: head, data: data, request: request, metrics: metrics, cacheStatus: cacheStatus),
      journal: journal)
  }

  /// Returns this response with a cache status.
  package func withCacheStatus(_ status: CacheStatus) -> RESTResponse {
    RESTResponse(
      parts: Parts(
        head: head, data: data, request: request, metrics: metrics, cacheStatus: status),
      journal: journal)
  }

  /// Returns this response with the departure of its request, in a call if there is one.
  package func answering(_ departure: Departure, in journal: CallJournal?) -> RESTResponse {
    var head = head
    head.departure = departure
    return RESTResponse(
      parts: Parts(
        head: head, data: data, request: request, metrics: metrics, cacheStatus: cacheStatus),
      journal: journal ?? self.journal)
  }

  /// Returns this response as the end of a call.
  package func belonging(to journal: CallJournal) -> RESTResponse {
    RESTResponse(parts: parts, journal: journal)
  }
}

extension RESTResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// A text such as `GET https://api.example.com/me → 200 (512 bytes)`, without the query, the
  /// header fields and the body.
  public var description: String { "\(request) → \(statusCode) (\(data.count) bytes)" }

  public var debugDescription: String { description }

  public var customMirror: Mirror {
    Mirror(self, children: ["head": head, "bytes": data.count])
  }
}

/// Makers of responses without a server, for a ``ClosureTransport`` in tests and previews.
extension RESTResponse {
  /// A response with a status, and a body if one is given.
  ///
  /// - Parameters:
  ///   - statusCode: The status code (RFC 9110 §15).
  ///   - headers: The header fields, in order.
  ///   - data: The body, with its content encoding undone.
  ///   - request: The request that the response answers. The response has its URL.
  public static func status(
    _ statusCode: Int, headers: HTTPHeaders = [:], data: Data = Data(), to request: URLRequest
  ) -> RESTResponse {
    RESTResponse(
      head: ResponseHead(
        url: request.url ?? URL(fileURLWithPath: "/"), statusCode: statusCode, headers: headers),
      data: data, request: RequestSummary(request))
  }

  /// Returns a response with a JSON text as its body.
  ///
  /// - Parameters:
  ///   - text: The body. It is not checked, so that a test can use invalid JSON.
  ///   - statusCode: The status code (RFC 9110 §15).
  ///   - headers: The header fields. `Content-Type: application/json` is added if they have none.
  ///   - request: The request that the response answers. The response has its URL.
  public static func json(
    _ text: String, status statusCode: Int = 200, headers: HTTPHeaders = [:],
    to request: URLRequest
  ) -> RESTResponse {
    json(Data(text.utf8), status: statusCode, headers: headers, to: request)
  }

  /// Returns a response with an encoded value as its body.
  ///
  /// - Parameters:
  ///   - value: The value of the body.
  ///   - encoder: The encoder of the value.
  ///   - statusCode: The status code (RFC 9110 §15).
  ///   - headers: The header fields. `Content-Type: application/json` is added if they have none.
  ///   - request: The request that the response answers. The response has its URL.
  /// - Throws: The encoder's error.
  public static func json(
    encoding value: some Encodable, with encoder: JSONEncoder = JSONEncoder(),
    status statusCode: Int = 200, headers: HTTPHeaders = [:], to request: URLRequest
  ) throws -> RESTResponse {
    json(try encoder.encode(value), status: statusCode, headers: headers, to: request)
  }

  private static func json(
    _ data: Data, status: Int, headers: HTTPHeaders, to request: URLRequest
  ) -> RESTResponse {
    var headers = headers
    if !headers.contains("Content-Type") { headers["Content-Type"] = "application/json" }
    return .status(status, headers: headers, data: data, to: request)
  }
}

extension RESTResponse {
  /// Returns the first link of this resource with a relation type, such as `next` (RFC 8288); nil
  /// if there is none.
  ///
  /// A link whose `anchor` names another resource does not count.
  ///
  /// - Parameter relation: A registered relation type, or the URL of one, in upper or lower case.
  public func link(_ relation: String) -> HTTPLink? {
    headers.links.first { $0.isRelated(by: relation) && $0.starts(from: url) }
  }
}
