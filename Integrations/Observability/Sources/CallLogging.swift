import Logging
import RESTKit
import Streams

extension ObservedTransport {
  /// Logs the events of each call as they happen, with level `warning` for failures and `debug` for
  /// others.
  ///
  /// The log contains no secrets.
  ///
  /// - Returns: A cancellable that ends the logging when it is canceled or released.
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
