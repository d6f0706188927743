import Fixtures
import Foundation
import RESTKit
import RESTKitSignIn
import Streams
import Testing

@Suite("Forged callbacks (RFC 9700 §4)")
struct CallbackAttackTests {
  private static let redirectURI = "https://shop.example/cb"
  private let server = SignInServer(["/token": [SignInServer.token]])

  /// How a sign-in ends whose callback is this one.
  private func outcome(
    redirectURI: String = redirectURI, sendsIssuer: Bool = false,
    _ callback: @escaping @Sendable (_ state: String) -> String
  ) async throws -> SignInError? {
    let client = try server.client(sendsIssuer: sendsIssuer)
    let grant = AuthorizationCodeGrant(client, redirectURI: redirectURI) { url in
      let items = URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems ?? []
      let state = try #require(items.first { $0.name == "state" }?.value)
      return try #require(URL(string: callback(state)), "\(callback(state))")
    }
    do {
      _ = try await grant.credential(at: { Date() }).value
      return nil
    } catch let error as SignInError {
      return error
    }
  }

  @Test(
    "A place that only resembles the redirect URI is refused",
    arguments: [
      "https://shop.example/cb/", "https://shop.example/cb/../cb", "https://shop.example/CB",
      "https://shop.example:444/cb", "https://eve@shop.example/cb", "http://shop.example/cb",
      "https://shop.example.evil.example/cb", "https://shop.example/cb%2F",
      "https://shop.example/%63b", "https://evil.example/cb", "shop:/cb",
    ])
  func place(place: String) async throws {
    #expect(try await outcome { "\(place)?code=c&state=\($0)" } == .redirectMismatch)
    #expect(server.requests.isEmpty)
  }

  @Test(
    "A missing, empty, shortened, lengthened or repeated state is refused",
    arguments: [
      "", "&state=", "&state=%", "&STATE=%", "&state=%&state=%", "&state=%20%", "#state=%",
    ])
  func state(text: String) async throws {
    let error = try await outcome { state in
      let state = text == "&state=%" ? String(state.dropLast()) : state
      return "\(Self.redirectURI)?code=c"
        + text.replacingOccurrences(of: "%20%", with: "%20\(state)")
        .replacingOccurrences(of: "=%", with: "=\(state)")
    }
    #expect(error != nil)
    #expect(server.requests.isEmpty)
  }

  @Test("An escaped parameter name is the same name, so a parameter cannot hide")
  func escapedNames() async throws {
    for twin in ["%63ode=d", "co%64e=d", "code", "s%74ate=x", "iss=a&i%73s=a"] {
      let error = try await outcome { "\(Self.redirectURI)?code=c&state=\($0)&\(twin)" }
      guard case .malformedCallback = error else {
        Issue.record("\(twin): \(String(describing: error))")
        continue
      }
    }
    #expect(server.requests.isEmpty)
  }

  @Test("An issuer that only resembles the right one is refused before the code is used")
  func issuer() async throws {
    for issuer in [
      "", "https://id.example.com/", "https://ID.example.com", "http://id.example.com",
      "https://id.example.com%00", "https://evil.example",
    ] {
      let error = try await outcome(sendsIssuer: true) {
        "\(Self.redirectURI)?code=c&state=\($0)&iss=\(issuer)"
      }
      #expect(error == .issuerMismatch, "\(issuer)")
    }
    #expect(
      try await outcome(sendsIssuer: true) { "\(Self.redirectURI)?code=c&state=\($0)" }
        == .issuerMismatch)
    #expect(server.requests.isEmpty)
  }

  @Test("A code together with an error is a refusal, and the code is not used")
  func both() async throws {
    let error = try await outcome {
      "\(Self.redirectURI)?code=c&error=access_denied&state=\($0)"
    }
    #expect(error == .refused(SignInRefusal(code: "access_denied")))
    #expect(server.requests.isEmpty)
  }

  @Test("A token in the fragment is ignored, because only a code signs in")
  func implicit() async throws {
    let error = try await outcome { "\(Self.redirectURI)?state=\($0)#access_token=evil" }
    guard case .malformedCallback = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test("A code with escapes, pluses and signs arrives unchanged, and adds no field to the form")
  func code() async throws {
    #expect(
      try await outcome { "\(Self.redirectURI)?code=a%26client_id%3Deve+b%0A%C3%A9&state=\($0)" }
        == nil)
    let form = try #require(server.forms(at: "/token").first)
    #expect(form.contains("code=a%26client_id%3Deve%20b%0A%C3%A9&"))
    #expect(!form.contains("client_id=eve"))
  }

  @Test("A refusal's text cannot move the cursor, reverse the line or fill the screen")
  func words() async throws {
    let hostile = "%1B%5B2J%E2%80%AE%0D%0A%C2%85%E2%80%A8" + String(repeating: "x", count: 50_000)
    let error = try await outcome {
      "\(Self.redirectURI)?state=\($0)&error=\(hostile)&error_description=\(hostile)"
    }
    let text = try #require(error.map { "\($0)" })
    #expect(text.count < 2_000)
    #expect(text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
    #expect(!text.unicodeScalars.contains("\u{202E}"))
  }
}
