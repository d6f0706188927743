/// The metric `http.client.request.duration` of OpenTelemetry's conventions.
public enum HTTPClientDuration {
  /// The label of the metric, for the configuration of a backend.
  public static let label = "http.client.request.duration"

  /// The upper bounds of the histogram's buckets, in seconds, as the conventions define them.
  ///
  /// swift-metrics has no buckets. Pass them to the backend's configuration for the label of the
  /// metric, such as the factory of swift-prometheus or a view of an OpenTelemetry SDK.
  public static let buckets = [
    0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
  ]
}
