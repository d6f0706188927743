import Foundation
import RESTKit
import RESTKitTesting
import RESTKitTestingTraits
import Streams
import Testing

extension TestingGuide {
  // snippet: recording
  @Suite(.stubs)
  struct RecordedOrderTests {
    @Test("An order is fetched, and another one is placed")
    func orders() async throws {
      let stubs = try StubTransport.record(to: "Fixtures/orders.har")
      let shop = ShopAPI(transport: stubs)

      let order = try await shop.order(7).value
      let placed = try await shop.place(Order(id: 0, sku: "A-2")).value

      #expect(order.sku == "A-1")
      #expect(placed.id == 8)
    }
  }
  // end

  // snippet: recording-stand-in
  static func recordedPayment(to file: URL, over transport: any Transport) throws -> StubTransport {
    try StubTransport.record(
      to: file.path, over: transport, mode: .once, secrets: ["iban", "owner"],
      standIn: { secret in
        switch secret.name {
        case "iban": "DE02120300000000202051"
        // The case of an enumeration, which is no secret.
        case "access": secret.value
        case "owner": "owner-\(secret.number)@example.com"
        default: nil
        }
      })
  }
  // end

  // snippet: recording-options
  static func recorded(to file: URL, over transport: any Transport) throws -> StubTransport {
    try StubTransport.record(
      to: file.path, over: transport, mode: .once, secrets: ["Tenant"], shown: ["session"],
      bodyLimit: 10 << 20)
  }
  // end
}
