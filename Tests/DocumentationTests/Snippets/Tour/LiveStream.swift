import RESTKit
import Streams

// snippet: live
extension ShopAPI {
  func followPrices(_ show: @Sendable (String) -> Void) async throws {
    for try await event in serverSentEvents(endpoint: "prices").values {
      show(event.data)
    }
  }
}
// end
