import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A whole response: any status, its headers and its body.
public struct RESTResponse: Sendable {
  // One reference: a response goes from stage to stage, and a copy of its parts would count eight.
  private let parts: Parts

  /// The journal of the call that it ends; nil where nobody counts and records.
  let journal: CallJournal?

  public init(
    head: ResponseHead, data: Data, request: RequestSummary, metrics: ExchangeMetrics? = nil
  ) {
    self.init(
      parts: Parts(head: head, data: data, request: request, metrics: metrics, cacheStatus: nil),
      journal: nil)
  }

  /// What a cache answers.
  init(head: ResponseHead, data: Data, request: RequestSummary, cacheStatus: CacheStatus) {
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

  /// The body, with its content encoding undone.
  public var data: Data { parts.data }

  /// The request that was answered, as a text fit for a log.
  public var request: RequestSummary { parts.request }

  /// Where the time went, and over which connection; nil where the transport does not say.
  ///
  /// Of a call that was redirected, it tells of the last exchange.
  public var metrics: ExchangeMetrics? { parts.metrics }

  /// What an ``HTTPCache`` did with the request; nil where none was asked.
  public var cacheStatus: CacheStatus? { parts.cacheStatus }

  /// Whether it is what a cache kept, and no server has confirmed it.
  var isFromCache: Bool { parts.isFromCache }

  /// The status code (RFC 9110 §15).
  public var statusCode: Int { parts.head.statusCode }

  /// The header fields, in order, duplicates kept.
  public var headers: HTTPHeaders { parts.head.headers }

  /// The URL that answered: after redirects, the last one.
  public var url: URL { parts.head.url }

  /// Whether the status is 200...299.
  public var isSuccess: Bool { 200...299 ~= statusCode }

  /// This response as Foundation's type, made anew each time; lines of one name are joined with
  /// commas in it.
  public var response: HTTPURLResponse {
    var fields: [String: String] = [:]
    for (name, _) in headers where fields[name] == nil {
      fields[name] = headers.values(for: name).joined(separator: ", ")
    }
    // The initializer is optional in its signature only: Foundation takes any URL, status and
    // fields, and what is here came from a server through a transport that had parsed it.
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
    /// Whether it is what a cache kept, and no server has confirmed it: each call looks at it.
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

  /// This response with another body.
  func replacingData(with data: Data) -> RESTResponse {
    replacing(head: head, data: data)
  }

  /// Another response, to the same request and of the same call.
  func replacing(head: ResponseHead, data: Data) -> RESTResponse {
    RESTResponse(
      parts: Parts(
        head: head, data: data, request: request, metrics: metrics, cacheStatus: cacheStatus),
      journal: journal)
  }

  /// This response, as a cache has dealt with it.
  func withCacheStatus(_ status: CacheStatus) -> RESTResponse {
    RESTResponse(
      parts: Parts(
        head: head, data: data, request: request, metrics: metrics, cacheStatus: status),
      journal: journal)
  }

  /// This response as the end of a call.
  func belonging(to journal: CallJournal) -> RESTResponse {
    RESTResponse(parts: parts, journal: journal)
  }
}

extension RESTResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Such as `GET https://api.example.com/me → 200 (512 bytes)`: nothing of the query, the headers
  /// or the body.
  public var description: String { "\(request) → \(statusCode) (\(data.count) bytes)" }

  public var debugDescription: String { description }

  public var customMirror: Mirror {
    Mirror(self, children: ["head": head, "bytes": data.count])
  }
}
