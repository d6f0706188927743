import Foundation

/// A whole response, as an engine delivers it.
struct EngineResponse: Sendable {
  /// The status code of the final response; 1xx are dropped.
  var status: Int
  /// "HTTP/1.0", "HTTP/1.1", "HTTP/2" or "HTTP/3"; empty if the engine does not say.
  var httpVersion: String
  /// The final response's header lines.
  ///
  /// `Content-Encoding` and `Content-Length` stay as they were sent, though the body is decoded:
  /// with an encoding, the length is not the body's.
  var headers: HTTPHeaders
  /// The fields sent behind a chunked body (RFC 9110 §6.5); empty if the engine drops them.
  var trailers: HTTPHeaders
  /// The body without its content encoding.
  var body: Data
  /// Where the time went, as far as the engine measures it.
  var timings: ExchangeMetrics
}

extension EngineResponse {
  var metrics: ExchangeMetrics {
    var metrics = timings
    metrics.httpVersion = httpVersion.isEmpty ? nil : httpVersion
    return metrics
  }
}

extension RESTResponse {
  init(_ response: EngineResponse, url: URL, request: RequestSummary) {
    self.init(
      head: ResponseHead(
        url: url, statusCode: response.status, httpVersion: response.httpVersion,
        headers: response.headers),
      data: response.body, request: request, metrics: response.metrics)
  }
}
