import Foundation
import Testing

@testable import HTTPWire
@testable import RESTKit

@Suite("Origins: the servers that may see a secret")
struct OriginTests {
  private func origin(_ text: String) throws -> Origin {
    Origin(try #require(URL(string: text)))
  }

  @Test("An origin is scheme, host and port, in any case; the default port may be left out")
  func same() throws {
    let origin = try origin("https://shop.example/a?b#c")
    for text in ["HTTPS://Shop.Example", "https://user@shop.example:443/"] {
      #expect(try self.origin(text) == origin)
    }
    for text in ["http://shop.example", "https://shop.example:444", "https://example"] {
      #expect(try self.origin(text) != origin)
    }
  }

  @Test("The default port is 80 for http, and 443 for https")
  func ports() throws {
    #expect(try origin("http://shop.example").port == 80)
    #expect(try origin("http://shop.example:80/a") == origin("http://shop.example"))
    #expect(try origin("https://shop.example").port == 443)
  }

  @Test("A relative URL is of no server")
  func relative() throws {
    let relative = try origin("orders/1")
    #expect(relative == (try origin("/")))
    #expect(relative != (try origin("http://orders")))
  }
}
