import Foundation
import HTTPWire

/// One request and its result, without any secret.
public struct Exchange: Sendable, CustomStringConvertible {
  /// The request.
  public let request: RequestSummary
  /// The status of the response, or the failure.
  public let outcome: Result<Int, any Error>
  /// The time from the subscription to the whole response.
  public let duration: Duration
  /// The phases and the connection of the exchange, or nil for a failure and if the transport does
  /// not report them.
  public let metrics: ExchangeMetrics?

  /// A text such as `GET /me → 401 in 3 ms`.
  public var description: String {
    "\(request.method) \(request.path) → \(result) in \(duration.wholeMilliseconds) ms"
  }

  private var result: String {
    switch outcome {
    case .success(let status): "\(status)"
    case .failure(let error as RESTError): "failed (\(error.reason))"
    case .failure(let error): "failed (\(type(of: error)))"
    }
  }
}
