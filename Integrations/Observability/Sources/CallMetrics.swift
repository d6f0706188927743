import Metrics
import RESTKit
import Streams

extension ObservedTransport {
  /// Measures each call as `http.client.request.duration`, in seconds, under the names of
  /// OpenTelemetry's conventions.
  ///
  /// The dimensions are those that the conventions ask for: what has few values.
  ///
  /// - Returns: Ends the measuring when it is cancelled or let go.
  public func measureCalls(with factory: any MetricsFactory) -> AnyCancellable {
    callLogs.sink { log in
      let dimensions = log.attributes.filter { Self.dimensions.contains($0.key) }
        .map { ($0.key, "\($0.value)") }.sorted { $0.0 < $1.0 }
      Recorder(label: "http.client.request.duration", dimensions: dimensions, factory: factory)
        .record(log.duration / .seconds(1))
    }
  }

  private static let dimensions: Set = [
    "http.request.method", "server.address", "server.port", "http.response.status_code",
    "error.type", "network.protocol.version", "url.scheme",
  ]
}
