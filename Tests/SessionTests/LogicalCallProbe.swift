import Streams

@testable import RESTKit

/// One call, for tests that do what a retry policy does.
struct LogicalCallProbe: Sendable {
  private let call = LogicalCall(clock: .immediate)

  /// Subscribes as a part of this call.
  func attempt(
    _ publisher: AnyPublisher<RESTResponse, any Error>
  ) -> some Publisher<RESTResponse, any Error> {
    publisher.context(ScopedCall.Key.self, ScopedCall(of: call))
  }
}
