/// The metric `http.client.request.duration` of OpenTelemetry's conventions.
public enum HTTPClientDuration {
  /// The label of the metric, to name it to a backend.
  public static let label = "http.client.request.duration"

  /// The upper bounds of the histogram's buckets, in seconds, as the conventions ask for.
  ///
  /// swift-metrics has no buckets: a backend's own set-up takes them, by the label of the metric. The
  /// factory of swift-prometheus and the views of OpenTelemetry's SDKs do.
  public static let buckets = [
    0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
  ]
}
