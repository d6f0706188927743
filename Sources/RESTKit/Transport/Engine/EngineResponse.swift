import Foundation

/// What a final response says before its body, as it came over the wire: 1xx are dropped.
///
/// No message names the URL that it answers: with that, a head is a ``ResponseHead``.
struct EngineHead: Sendable {
  /// The status code.
  var status: Int
  /// "HTTP/1.0", "HTTP/1.1", "HTTP/2" or "HTTP/3"; empty if the engine does not say.
  var httpVersion: String
  /// The header lines.
  ///
  /// `Content-Encoding` and `Content-Length` stay as they were sent, though the body is decoded:
  /// with an encoding, the length is not the body's.
  var headers: HTTPHeaders
}

/// A whole response, as an engine delivers it.
struct EngineResponse: Sendable {
  /// What came before the body.
  var head: EngineHead
  /// The fields sent behind a chunked body (RFC 9110 §6.5); empty if the engine drops them.
  var trailers: HTTPHeaders
  /// The body without its content encoding.
  var body: Data
  /// Where the time went, as far as the engine measures it.
  var timings: ExchangeMetrics
}

extension EngineResponse {
  var status: Int { head.status }

  var httpVersion: String { head.httpVersion }

  var headers: HTTPHeaders { head.headers }

  var metrics: ExchangeMetrics {
    var metrics = timings
    metrics.httpVersion = httpVersion.isEmpty ? nil : httpVersion
    return metrics
  }
}

extension ResponseHead {
  /// - Parameter url: Where the request went to.
  init(_ head: EngineHead, url: URL) {
    self.init(
      url: url, statusCode: head.status, httpVersion: head.httpVersion, headers: head.headers)
  }
}

extension RESTResponse {
  init(_ response: EngineResponse, url: URL, request: RequestSummary) {
    self.init(
      head: ResponseHead(response.head, url: url), data: response.body, request: request,
      metrics: response.metrics)
  }
}
