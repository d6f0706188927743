import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// An HTTP engine as a transport: each subscription is one call of the engine.
struct EngineTransport: Transport {
  let engine: any HTTPEngine

  func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
    EngineResponses(engine: engine, request: request).eraseToAnyPublisher()
  }

  func events(
    for request: URLRequest, body: RequestBody?
  ) -> AnyPublisher<TransferEvent, any Error> {
    guard let body, body.mayComeInChunks, !engine.sendsBodiesAsTheyCome else {
      return EngineEvents(engine: engine, request: request, body: body).eraseToAnyPublisher()
    }
    return Deferred { Result { () throws(TransportError) in try body.begin() }.publisher }
      .mapError { RESTError($0, request: RequestSummary(request)) as any Error }
      .flatMap { source in
        guard case .chunks(let chunks, let length) = source else {
          return Just(RequestBody(source)).setFailureType(to: (any Error).self)
            .eraseToAnyPublisher()
        }
        return SpooledBody.publisher(of: chunks, length: length).map { .spool($0) }
          .eraseToAnyPublisher()
      }
      .flatMap { [engine] in EngineEvents(engine: engine, request: request, body: $0) }
      .eraseToAnyPublisher()
  }

  static func url(of request: URLRequest) throws(TransportError) -> URL {
    guard let url = request.url else {
      throw TransportError(
        kind: .unsupportedURL, detail: "the request has no URL", mayHaveBeenProcessed: false)
    }
    return url
  }

  /// - Parameter body: What is sent besides the request, in the place of a body of its own.
  static func engineRequest(
    _ request: URLRequest, url: URL, body: RequestBody? = nil
  ) throws(TransportError) -> EngineRequest {
    guard request.httpBodyStream == nil else {
      throw TransportError(
        kind: .invalidRequest,
        detail: "its body is a stream, which cannot be sent again; set httpBody",
        mayHaveBeenProcessed: false)
    }
    guard body == nil || request.httpBody?.isEmpty != false else {
      throw TransportError(
        kind: .invalidRequest, detail: "it has two bodies; leave httpBody out",
        mayHaveBeenProcessed: false)
    }
    let headers = (request.allHTTPHeaderFields ?? [:]).sorted { $0.key < $1.key }
    try RequestValidation.check(spellingsOf: headers.map(\.key))
    var engineRequest = EngineRequest(
      url: url.absoluteString, method: request.method.rawValue,
      headers: HTTPHeaders(headers.map { ($0.key, $0.value) }),
      body: body == nil ? request.httpBody : nil,
      timeout: timeout(seconds: request.timeoutInterval))
    engineRequest.upload = body
    return engineRequest
  }

  /// - Returns: nil for no limit; a time that rounds to none is a millisecond.
  static func timeout(seconds: TimeInterval) -> Duration? {
    // Past a thousand years, a limit is none.
    guard seconds.isFinite, seconds > 0, seconds < 3.2e10 else { return nil }
    return max(.milliseconds(Int64((seconds * 1_000).rounded())), .milliseconds(1))
  }
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
