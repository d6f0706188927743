import Foundation
import IdentityKit
import RESTKit
import RESTKitTesting
import RESTKitTestingTraits
import Streams
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("The test that Docs/MigratingStubs.md rewrites")
struct MigratingStubsExamples {
  // snippet: seed
  @Test("An expired token is refreshed before the profile arrives", .stubs)
  func expiredToken() async throws {
    let me = StubRequest(.get, urlString: "https://id.example.com/me")
    let stubs = StubTransport(
      StubAPIResponse(request: me.header("Authorization", "Bearer expired"), statusCode: 401)
        .thenRespondWith(
          request: .init(.post, urlString: "https://id.example.com/auth/refresh")
            .header("Content-Type", "application/json")
            .jsonBody(#"{"refreshToken": "refresh-1"}"#),
          result: .json(#"{"result": {"accessToken": "fresh"}}"#)
        )
        .thenRespondWith(
          request: me.header("Authorization", "Bearer fresh").header("Accept", "application/json"),
          result: .json(#"{"self": {"firstName": "Ada", "lastName": "Lovelace"}}"#)
        )
        .thenVerifyRequest { request in
          #expect(request.httpBody == nil)
        })
    let identity = IdentityService(baseURL: "https://id.example.com", transport: stubs)
    try identity.signIn(Credential(accessToken: "expired", refreshToken: "refresh-1"))

    let profile = try await identity.fetchProfile.value.get()

    #expect(profile.lastName == "Lovelace")
  }
  // end
}
