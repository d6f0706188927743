// snippet: begin
import Logging
import Metrics
import RESTKit
import RESTKitObservability
import Streams
import Tracing

/// Reports a transport's events to the service's logs, metrics and traces, as long as it is kept.
struct CallObservations {
  private let observations: [AnyCancellable]

  init(of transport: ObservedTransport) {
    observations = [
      transport.logCalls(to: Logger(label: "shop")),
      transport.measureCalls(with: MetricsSystem.factory),
      transport.traceCalls(with: InstrumentationSystem.tracer),
    ]
  }
}
// end
