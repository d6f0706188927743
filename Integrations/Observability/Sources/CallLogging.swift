import Logging
import RESTKit
import Streams

extension ObservedTransport {
  /// Logs what happens in each call, as it happens: failures as warnings, all else for debugging.
  ///
  /// Nothing that is logged is a secret.
  ///
  /// - Returns: Ends the logging when it is cancelled or let go.
  public func logCalls(to logger: Logger) -> AnyCancellable {
    callEvents.sink { event in
      var metadata = event.attributes.mapValues { Logger.MetadataValue.string("\($0)") }
      metadata["call"] = "\(event.call)"
      logger.log(level: event.level, "\(event)", metadata: metadata)
    }
  }
}

extension CallEvent {
  fileprivate var level: Logger.Level {
    if case .failed = kind { .warning } else { .debug }
  }
}
