import Foundation
import RESTKit
import RESTKitTesting
import Streams
import Testing

@Suite("Docs/Sessions.md has the current defaults, and its examples run", .leakFree)
struct SessionsTests {
  @Test("The table lists the current defaults")
  func defaults() throws {
    let text = try Repository.text(of: "Docs/Sessions.md")
    let options = TokenSessionOptions()
    for (name, value) in [
      ("leeway", options.leeway), ("refreshTimeout", options.refreshTimeout),
      ("cooldown", options.cooldown), ("maximumCooldown", options.maximumCooldown),
      ("refusalWindow", options.refusalWindow),
    ] {
      #expect(text.contains("| `\(name)` | \(Int(value / .seconds(1))) s |"), "\(name)")
    }
    #expect(text.contains("| `refusalLimit` | \(options.refusalLimit) |"))
  }

  @Test("The shop's orders arrive with a refreshed token")
  func orders() async throws {
    let orders = StubRequest(.get, urlString: "https://shop.example.com/v1/orders")
    let stubs = StubTransport(
      StubAPIResponse(request: orders.header("Authorization", "Bearer expired"), statusCode: 401)
        .thenRespondWith(
          request: .init(.post, urlString: "https://id.example.com/auth/refresh"),
          result: .json(#"{"result": {"accessToken": "fresh"}}"#)
        )
        .thenRespondWith(
          request: orders.header("Authorization", "Bearer fresh"),
          result: .json(#"[{"id": 7, "total": 12.5}]"#)))
    let shop = Shop(transport: stubs)
    try shop.session.signIn(Credential(accessToken: "expired", refreshToken: "refresh-1"))
    #expect(try await shop.orders.value.map(\.id) == [7])
    try stubs.verify()
  }

  @Test("A session tells its account and its device")
  func signedIn() throws {
    let session = Shop(transport: StubTransport()).session
    #expect(deviceName(of: session) == "nobody")
    try session.signIn(Credential(accessToken: "t", account: "ada"))
    #expect(deviceName(of: session) == "ada on an unknown device")
    try session.signIn(
      Credential(accessToken: "t", account: "ada", extras: ["device_id": "JLAFKJWSCS"]))
    #expect(deviceName(of: session) == "ada on JLAFKJWSCS")
  }

  @Test("A closure fetches a token with the refresh token")
  func grant() async throws {
    let orders = StubRequest(.get, urlString: "https://shop.example.com/v1/orders")
    let stubs = StubTransport(
      StubAPIResponse(request: orders, statusCode: 401)
        .thenRespondWith(
          request: .init(.put, urlString: "https://shop.example.com/v1/session")
            .jsonBody(#"{"session": {"refresh": "refresh-1"}}"#),
          result: .json(#"{"session": {"jwt": "fresh", "refresh": "refresh-2", "validFor": 900}}"#)
        )
        .thenRespondWith(
          request: orders.header("Authorization", "Bearer fresh"), result: .json("[]")))
    let api = ShopAPI(baseURL: "https://shop.example.com/v1", transport: stubs)
    let session = TokenSession(grant: DocumentationTests.grant(for: api))
    try session.signIn(Credential(accessToken: "expired", refreshToken: "refresh-1"))
    let answer = try await session.authorize(api.get(endpoint: "orders")).value
    #expect(answer.statusCode == 200)
    try stubs.verify()
  }

  @Test("A JSON grant takes the method, the path, the names and further members")
  func jsonGrant() async throws {
    let stubs = StubTransport(
      StubAPIResponse(
        request: .init(.put, urlString: "https://id.example.com/session/token")
          .jsonBody(#"{"token": "refresh-1", "device": "phone"}"#),
        result: .json(#"{"jwt": "fresh", "ttl": 900}"#)))
    let token = try await DocumentationTests.jsonGrant(device: "phone", transport: stubs)
      .token(renewing: Credential(accessToken: "expired", refreshToken: "refresh-1")).value
    #expect(token == TokenResponse(accessToken: "fresh", lifetime: .seconds(900)))
    try stubs.verify()
  }
}
