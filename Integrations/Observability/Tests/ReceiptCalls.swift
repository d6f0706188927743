import RESTKit
import RESTKitObservability
import Streams

/// The README's example of a call behind another one.
enum ReceiptCalls {
  // snippet: context
  static func receipt(
    of order: Int, from api: some RESTAPI
  ) -> AnyPublisher<RESTResponse, any Error> {
    api.get(endpoint: "orders/\(order)")
      .flatMap { _ in api.get(endpoint: "receipts/\(order)") }
      .serviceContext()
      .eraseToAnyPublisher()
  }
  // end
}
