import Metrics
import RESTKit
import Streams
import Synchronization

extension ObservedTransport {
  /// Measures each exchange under the names of OpenTelemetry's conventions for HTTP clients:
  /// `http.client.request.duration`, in seconds, as a `Recorder` that aggregates, and
  /// `http.client.active_requests` as a `Meter`.
  ///
  /// The dimensions are those of the conventions that have few values. A metric always has the same
  /// dimensions. A dimension without a value is an empty text, such as `error.type` of a success:
  /// some backends end the process if the dimensions differ, and Prometheus treats an empty label
  /// as none. swift-metrics has no API for buckets: pass ``HTTPClientDuration/buckets`` to the
  /// backend.
  ///
  /// - Returns: A cancellable that ends the measuring of further calls when it is canceled or
  ///   released.
  public func measureCalls(with factory: any MetricsFactory) -> AnyCancellable {
    instrument(with: CallMetrics(factory))
  }
}

/// An instrument that counts and times each exchange.
private final class CallMetrics: CallInstrument, InstrumentedCall {
  private let factory: any MetricsFactory
  // The meters are kept, since a backend without its own meters counts in the object.
  private let meters = Mutex<[[String]: Meter]>([:])

  init(_ factory: any MetricsFactory) {
    self.factory = factory
  }

  func beginCall(_ beginning: CallBeginning) -> any InstrumentedCall { self }

  func beginExchange(
    _ beginning: ExchangeBeginning, adding headers: inout HTTPHeaders
  ) -> any InstrumentedExchange {
    let attributes = beginning.attributes.entries(for: Self.dimensionsOfRequest)
    let meter = meter(Self.dimensions(attributes))
    meter.increment()
    return MeasuredExchange(attributes, active: meter, in: factory)
  }

  func end(_ log: CallLog) {}

  private func meter(_ dimensions: [(String, String)]) -> Meter {
    let key = dimensions.map { "\($0)=\($1)" }
    if let meter = meters.withLock({ $0[key] }) { return meter }
    let new = Meter(
      label: "http.client.active_requests", dimensions: dimensions, factory: factory)
    return meters.withLock { meters in
      let meter = meters[key] ?? new
      meters[key] = meter
      return meter
    }
  }

  private static let dimensionsOfRequest = [
    "http.request.method", "server.address", "server.port", "url.scheme",
  ]

  static func dimensions(_ attributes: [String: CallAttribute]) -> [(String, String)] {
    attributes.map { ($0.key, "\($0.value)") }.sorted { $0.0 < $1.0 }
  }
}

private final class MeasuredExchange: InstrumentedExchange {
  private let attributes: [String: CallAttribute]
  private let active: Meter
  private let factory: any MetricsFactory

  init(
    _ attributes: [String: CallAttribute], active: Meter, in factory: any MetricsFactory
  ) {
    self.attributes = attributes
    self.active = active
    self.factory = factory
  }

  func end(_ end: ExchangeEnd) {
    active.decrement()
    let outcome = end.attributes.entries(for: Self.dimensionsOfEnd)
    let dimensions = CallMetrics.dimensions(attributes.merging(outcome) { $1 })
    Recorder(label: HTTPClientDuration.label, dimensions: dimensions, factory: factory)
      .record(end.duration / .seconds(1))
  }

  private static let dimensionsOfEnd = [
    "http.response.status_code", "error.type", "network.protocol.version",
  ]
}

extension Dictionary where Key == String, Value == CallAttribute {
  /// Returns one entry for each name, with an empty text if there is no attribute.
  fileprivate func entries(for names: [String]) -> [String: CallAttribute] {
    var entries: [String: CallAttribute] = [:]
    for name in names { entries[name] = self[name] ?? .string("") }
    return entries
  }
}
