import Foundation
import IdentityKit
import RESTKit
import RESTKitTesting
import Streams
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// snippet: test
@Test("An expired token is refreshed, and the profile fetched with the new one")
func expiredToken() async throws {
  let stubs = StubTransport(
    StubAPIResponse(
      request: .init(.get, urlString: "https://id.example.com/me"), statusCode: 401
    )
    .thenRespondWith(
      request: .init(.post, urlString: "https://id.example.com/auth/refresh"),
      result: .json(#"{"result": {"accessToken": "fresh"}}"#)
    )
    .thenRespondWith(
      request: .init(.get, urlString: "https://id.example.com/me"),
      result: .json(#"{"self": {"firstName": "Ada", "lastName": "Lovelace"}}"#)
    )
    .thenVerifyRequest { request in
      #expect(request.value(forHTTPHeaderField: "Authorization") == "Bearer fresh")
    })
  let identity = IdentityService(baseURL: "https://id.example.com", transport: stubs)
  try identity.signIn(Credential(accessToken: "expired", refreshToken: "refresh-1"))

  let profile = try await identity.fetchProfile.value.get()

  #expect(profile.lastName == "Lovelace")
  try stubs.verify()
}
// end
