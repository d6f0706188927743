import Foundation
import HTTPWire

/// The head of a final response as received; 1xx responses are dropped.
///
/// A message does not contain the URL of its request. Together with the URL, a head is a
/// ``ResponseHead``.
struct EngineHead: Sendable {
  /// The status code.
  var status: Int
  /// "HTTP/1.0", "HTTP/1.1", "HTTP/2" or "HTTP/3", or empty if the engine does not report it.
  var httpVersion: String
  /// The header lines.
  ///
  /// `Content-Encoding` and `Content-Length` stay as received although the body is decoded. With an
  /// encoding, the length is not that of the decoded body.
  var headers: HTTPHeaders
}

/// A response, as an engine delivers it.
struct EngineResponse: Sendable {
  /// The head of the response.
  var head: EngineHead
  /// The fields after a chunked body (RFC 9110 §6.5), or empty if the engine drops them.
  var trailers: HTTPHeaders
  /// The body without its content encoding.
  var body: Data
  /// The phases of the exchange, as far as the engine measures them.
  var timings: ExchangeMetrics
  /// The fault of a body that cannot be read; nil if the response is whole.
  ///
  /// The body is then the part that has arrived.
  var fault: TransportError?
}

extension Result<EngineResponse, TransportError> {
  /// Returns this result, or the response beside whose body the fault stands.
  ///
  /// - Parameter response: The response as far as it has arrived; nil without a valid head.
  func beside(_ response: @autoclosure () -> EngineResponse?) -> Self {
    // Nothing follows the end of an engine.
    guard case .failure(let fault) = self, fault.kind != .engineUnavailable,
      var response = response()
    else { return self }
    response.fault = fault
    return .success(response)
  }
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
  /// - Parameter url: The URL of the request.
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
