import Streams

@testable import HTTPTransport
@testable import RESTKit

/// What a handler wants after an event.
enum HandlerWish: Sendable {
  case more, pause
}

/// Takes the events of a call one by one.
typealias EngineEventHandler = @Sendable (EngineEvent) -> HandlerWish

extension EventBuffer {
  /// A buffer for a handler that wants the first event, and another one after each as it says.
  convenience init(handler: @escaping EngineEventHandler) {
    self.init { handler($0) == .more ? .max(1) : .none }
    request(.max(1))
  }
}

extension EngineRequest {
  /// Sets the handler of the response in pieces.
  var onEvent: EngineEventHandler? {
    get { nil }
    set { events = newValue.map { EventBuffer(handler: $0) } }
  }
}
