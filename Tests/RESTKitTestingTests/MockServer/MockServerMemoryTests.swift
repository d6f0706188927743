import Foundation
import RESTKitTesting
import Testing

@Suite("MockServer limits what it keeps", .timeLimit(.minutes(10)))
struct MockServerMemoryTests {
  private func post(_ body: String, to client: RawClient) throws -> String {
    try client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: \(body.utf8.count)\r\n\r\n")
    try client.send(body)
    return try client.readResponse().text
  }

  @Test func `Bodies are kept up to the limit in all, and handlers get them whole`() throws {
    let server = try MockServer(bodyLimit: 5) { request in
      .text("\(request.bodyLength) \(String(decoding: request.body, as: UTF8.self))")
    }
    let client = try RawClient(to: server.port)
    for body in ["abc", "defg", "h"] {
      #expect(try post(body, to: client) == "\(body.utf8.count) \(body)")
    }
    #expect(server.requests.map(\.body) == ["abc", "de", ""].map { Data($0.utf8) })
    #expect(server.requests.map(\.bodyLength) == [3, 4, 1])
    #expect(server.requests.map(\.index) == [0, 1, 2])
  }

  @Test func `A negative limit keeps nothing`() throws {
    let server = try MockServer(bodyLimit: -1) { _ in .text("") }
    let client = try RawClient(to: server.port)
    _ = try post("abc", to: client)
    #expect(server.requests.map(\.body) == [Data()])
    #expect(server.requests.map(\.bodyLength) == [3])
  }

  @Test func `By default the limit is 16 MiB`() throws {
    let server = try MockServer { _ in .text("") }
    let client = try RawClient(to: server.port)
    for _ in 1...2 { _ = try post(String(repeating: "x", count: 9 << 20), to: client) }
    #expect(server.requests.map(\.body.count) == [9 << 20, 7 << 20])
  }

  @Test func `A forgotten request is no longer counted, and makes room`() async throws {
    let server = try MockServer(bodyLimit: 3) { .text("\($0.index)") }
    let client = try RawClient(to: server.port)
    #expect(try post("abc", to: client) == "0")
    #expect(try post("abc", to: client) == "1")
    server.forgetRequests()
    #expect(server.requests.isEmpty)
    #expect(try post("def", to: client) == "0")
    #expect(try await server.received(1).map(\.body) == [Data("def".utf8)])
    #expect(server.connectionCount == 1)
  }

  @Test func `A request without a server has its body's length`() {
    #expect(MockRequest(method: "PUT", target: "/", body: Data(count: 3)).bodyLength == 3)
  }
}
