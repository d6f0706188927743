import Foundation

/// One request and what came of it, as a text may tell it.
public struct Exchange: Sendable, CustomStringConvertible {
  /// What was sent.
  public let request: RequestSummary
  /// The status of the response, or the failure in its place.
  public let outcome: Result<Int, any Error>
  /// The time from the subscription to the whole response.
  public let duration: Duration
  /// Where the time went, and over which connection; nil for a failure, and where the transport does
  /// not say.
  public let metrics: ExchangeMetrics?

  /// Such as `GET /me → 401 in 3 ms`.
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
