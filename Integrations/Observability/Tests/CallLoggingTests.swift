import Foundation
import InMemoryLogging
import InMemoryTracing
import Logging
import RESTKit
import RESTKitObservability
import RESTKitTesting
import StreamsTesting
import Testing

@Suite("Calls in the log of a service")
struct CallLoggingTests {
  @Test("The log has a line for each event, failures as warnings, and no secrets")
  func logging() {
    let shop = ObservedShop(
      ObservedShop.answer("https://shop.example/v1/orders?token=canary", 503))
    let handler = InMemoryLogHandler()
    var logger = Logger(label: "shop") { _ in handler }
    logger.logLevel = .debug
    let subscription = shop.transport.logCalls(to: logger)
    shop.run(
      shop.api.get(endpoint: "orders", query: ["token": "canary"]) {
        $0.addingBearerAuthorization(token: "canary")
      }
      .validateStatus())
    subscription.cancel()
    #expect(
      handler.entries.map { "\($0.level): \($0.message)" } == [
        "debug: built GET https://shop.example/v1/orders", "debug: sent, attempt 1",
        "debug: answered 503 Service Unavailable",
        "warning: failed because the server answered 503 Service Unavailable", "debug: ended",
      ])
    #expect(handler.entries.allSatisfy { $0.metadata["call"] == "1" })
    #expect(handler.entries[0].metadata["server.address"] == "shop.example")
    #expect(handler.entries[2].metadata["http.response.status_code"] == "503")
    #expect(!"\(handler.entries)".contains("canary"))
  }

  @Test("The README's observations end when they are released")
  func readme() async throws {
    let shop = ObservedShop(ObservedShop.answer())
    try await LiveSubscriptions.assertNone {
      let observations = CallObservations(of: shop.transport)
      shop.run(shop.api.publisher(for: ObservedShop.Order(id: 7)))
      withExtendedLifetime(observations) {}
    }
  }
}
