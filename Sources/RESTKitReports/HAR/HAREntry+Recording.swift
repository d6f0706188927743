import Foundation
import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A recorder's data about one exchange.
package struct HARRecording: Sendable {
  /// The result of an exchange.
  package enum Outcome: Sendable {
    case response(ResponseHead, body: HARBody)
    case failure(any Error)
  }

  let request: URLRequest
  let requestBody: HARBody
  let start: Date
  let outcome: Outcome
  let duration: Duration
  let metrics: ExchangeMetrics?
  /// Whether a cache answered, so that nothing was sent.
  let isFromCache: Bool

  package init(
    request: URLRequest, requestBody: HARBody, start: Date, outcome: Outcome, duration: Duration,
    metrics: ExchangeMetrics?, isFromCache: Bool = false
  ) {
    self.request = request
    self.requestBody = requestBody
    self.start = start
    self.outcome = outcome
    self.duration = duration
    self.metrics = metrics
    self.isFromCache = isFromCache
  }
}

/// A body as a recorder keeps it.
package struct HARBody: Sendable {
  /// The bytes, or nil if they were not kept.
  var data: Data?
  /// The number of bytes, or -1 if it is unknown.
  var size: Int64

  package init(_ data: Data) {
    self.data = data
    size = Int64(data.count)
  }

  package init(unkeptOfSize size: Int64?) {
    data = nil
    self.size = size ?? -1
  }
}

extension HAREntry {
  /// Makes the HAR 1.2 entry of an exchange.
  ///
  /// The result is nil for a request without a URL, which was never sent.
  package init?(_ recording: HARRecording, redaction: Redaction) {
    let writer = HARWriter(redaction: redaction)
    try? self.init(writer.entry(recording), path: "entry")
  }
}

/// A writer of HAR 1.2 entries that applies the redaction.
private struct HARWriter {
  let redaction: Redaction
  private var cookies: HARCookies { HARCookies(redaction: redaction) }

  init(redaction: Redaction) {
    self.redaction = redaction
  }

  func entry(_ recording: HARRecording) -> JSONValue {
    let timings = HARTimings(recording.metrics, duration: recording.duration)
    var entry: [String: JSONValue] = [
      "startedDateTime": .string(recording.start.formatted(HAR.dateStyle)),
      "time": JSONValue(timings.total),
      "request": request(recording),
      "response": response(recording.outcome, at: recording.start),
      "cache": [:],
      "timings": timings.json,
      // Browsers use this type for calls of a page, so their panels show the entry among calls
      // instead of scripts.
      "_resourceType": "fetch",
    ]
    // As in browsers, which name the place: `memory` or `disk`.
    if recording.isFromCache { entry["_fromCache"] = "memory" }
    // Through a proxy, this is the proxy's address, as in browsers. A unix socket has none.
    let peer = recording.metrics?.remoteAddress.flatMap(PeerAddress.init)
    if case .internet(let address, _)? = peer {
      entry["serverIPAddress"] = .string(address)
    }
    return .object(entry)
  }

  private func request(_ recording: HARRecording) -> JSONValue {
    let request = recording.request
    let fields = (request.allHTTPHeaderFields ?? [:]).sorted { $0.key < $1.key }
    let url = redaction.text(of: request.url)
    var json: [String: JSONValue] = [
      "method": .string(request.method.rawValue),
      "url": .string(url),
      "httpVersion": .string(recording.metrics?.httpVersion ?? ""),
      "cookies": cookies.sent(request.value(forHTTPHeaderField: "Cookie")),
      "headers": headers(HTTPHeaders(fields.map { ($0.key, $0.value) })),
      "queryString": query(of: url),
      "headersSize": -1,
      "bodySize": .integer(recording.requestBody.size),
    ]
    if recording.requestBody.size != 0 {
      let type = request.value(forHTTPHeaderField: "Content-Type") ?? "application/octet-stream"
      var data: [String: JSONValue] = ["mimeType": .string(type)]
      let coding = request.value(forHTTPHeaderField: "Content-Encoding")
      add(recording.requestBody, type: type, coding: coding, to: &data)
      // HAR has no encoding for posted data.
      if data.removeValue(forKey: "encoding") != nil || data["text"] == nil {
        data["text"] = ""
        data["comment"] = .string("\(recording.requestBody.size) bytes, left out")
      }
      json["postData"] = .object(data)
    }
    return .object(json)
  }

  private func response(_ outcome: HARRecording.Outcome, at date: Date) -> JSONValue {
    switch outcome {
    case .failure(let error):
      // As in browsers: status 0 and a custom field. The `_fault` field tells a replay how to fail.
      var json: [String: JSONValue] = [
        "status": 0, "statusText": "", "httpVersion": "", "cookies": [], "headers": [],
        "content": ["size": 0, "mimeType": "x-unknown"], "redirectURL": "",
        "headersSize": -1, "bodySize": -1,
        "_error": .string((error as? RESTError)?.reason ?? "\(type(of: error))"),
      ]
      let cause = (error as? RESTError)?.underlyingError ?? error
      json["_fault"] = (cause as? TransportError).map { HARFault($0).json }
      return .object(json)
    case .response(let head, let body):
      let type = head.headers["Content-Type"] ?? "x-unknown"
      var content: [String: JSONValue] = [
        "size": .integer(max(body.size, 0)), "mimeType": .string(type),
      ]
      add(body, type: type, to: &content)
      let shown = HTTPHeaders(redaction.fields(head.headers))
      return [
        "status": .integer(Int64(head.statusCode)),
        "statusText": .string(HTTPStatus.phrase(for: head.statusCode) ?? ""),
        "httpVersion": .string(head.httpVersion),
        "cookies": cookies.received(head.headers, at: date),
        "headers": headers(head.headers),
        "content": .object(content),
        "redirectURL": .string(shown["Location"] ?? ""),
        "headersSize": -1,
        // The number of bytes on the wire is unknown if a content encoding was decoded.
        "bodySize": .integer(head.headers.contains("Content-Encoding") ? -1 : body.size),
      ]
    }
  }

  private func add(
    _ body: HARBody, type: String, coding: String? = nil, to json: inout [String: JSONValue]
  ) {
    guard let data = body.data,
      let shown = redaction.body(data, contentType: type, contentEncoding: coding)
    else {
      json["comment"] = .string("\(body.size) bytes, left out")
      return
    }
    if shown != data { json["comment"] = "redacted" }
    if let text = String(validating: shown, as: UTF8.self) {
      if !text.isEmpty { json["text"] = .string(text) }
    } else {
      json["text"] = .string(shown.base64EncodedString())
      json["encoding"] = "base64"
    }
  }

  private func headers(_ headers: HTTPHeaders) -> JSONValue {
    .array(
      redaction.fields(headers).map { ["name": .string($0.name), "value": .string($0.value)] })
  }

  private func query(of url: String) -> JSONValue {
    let items = URLComponents(string: url)?.queryItems ?? []
    return .array(items.map { ["name": .string($0.name), "value": .string($0.value ?? "")] })
  }
}
