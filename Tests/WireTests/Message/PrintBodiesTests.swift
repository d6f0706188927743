import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import Testing

@Suite("Printing bodies", .leakFree)
struct PrintBodiesTests {
  private final class Lines: TextOutputStream, Sendable {
    private let text = Lock("")

    var all: String { text.withLock(\.self) }

    func write(_ string: String) { text.withLock { $0 += string } }
  }

  private func printed(
    _ body: String, type: String = "application/json", status: Int = 200, redaction: Redaction,
    secretHeaders: [String] = []
  ) async -> String {
    let lines = Lines()
    let stubs = StubTransport(
      .get, "https://api.example.com/v1/orders", statusCode: status,
      headers: ["Content-Type": type], result: .success(Data(body.utf8)))
    let call = TestAPI(transport: stubs, secretHeaders: secretHeaders).get(endpoint: "orders")
    _ = try? await call.print("orders", bodies: redaction, to: lines).value
    return lines.all
  }

  @Test("A value and a refused status are printed with their bodies, without what is secret")
  func bodies() async {
    let body = #"{"token":"canary","shop":"canary","id":7}"#
    let shown = #"{"token":"<redacted>","shop":"<redacted>","id":7}"#
    let value = await printed(body, redaction: .byName, secretHeaders: ["shop"])
    #expect(
      value.contains(
        "orders: receive value: (GET https://api.example.com/v1/orders → 200 (41 bytes)\n\(shown))")
    )
    #expect(!value.contains("canary"))
    #expect(value.contains("orders: receive subscription\norders: request "))
    #expect(value.contains("orders: receive finished\n"))
    #expect(await printed(body, redaction: .none).contains(body))
  }

  @Test("What is no text, or may not be shown, is its size")
  func leftOut() async {
    let text = await printed("canary", type: "text/plain", redaction: .strict)
    #expect(text.contains("→ 200 (6 bytes)\n6 bytes, left out)"))
    #expect(await printed("", redaction: .byName).contains("→ 200 (0 bytes))\n"))
  }

  @Test("A failure shows the body of its response")
  func failure() async {
    let lines = Lines()
    let stubs = StubTransport(
      .get, "https://api.example.com/v1/orders", statusCode: 409, result: .json(#"{"a":"taken"}"#))
    _ = try? await TestAPI(transport: stubs).get(endpoint: "orders").validateStatus()
      .print(bodies: .byName, to: lines).value
    #expect(lines.all.contains("receive error: (GET https://api.example.com/v1/orders"))
    #expect(lines.all.contains("\n{\"a\":\"taken\"})"))
    let none = Lines()
    _ = try? await TestAPI(baseURL: "nonsense", transport: stubs).get(endpoint: "orders")
      .print(bodies: .byName, to: none).value
    #expect(none.all.contains("receive error: ("))
  }
}
