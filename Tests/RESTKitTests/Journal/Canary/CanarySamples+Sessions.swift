import Foundation
import RESTKitTesting
import Streams

@testable import RESTKit

extension CanarySamples {
  mutating func addSessions(_ error: RESTError) throws {
    let credential = Credential(accessToken: Canary.secret, refreshToken: Canary.secret)
    let authentications: [ClientAuthentication] = [
      .basic(secret: Canary.secret), .form(secret: Canary.secret), .none,
    ]
    for authentication in authentications {
      let client = OAuthClient(
        tokenEndpoint: "https://h/token", id: "shop", authentication: authentication,
        transport: StubTransport())
      add("ClientAuthentication", authentication)
      add("OAuthClient", client)
      add("ClientCredentialsGrant", ClientCredentialsGrant(client))
      add("RefreshTokenGrant", RefreshTokenGrant(client))
    }
    let refresh = JSONRefreshGrant(baseURL: "https://h", transport: StubTransport())
    add("JSONRefreshGrant", refresh)
    let answer = TokenResponse(accessToken: Canary.secret, refreshToken: Canary.secret)
    add("TokenResponse", answer)
    add(
      "ClosureGrant",
      ClosureGrant { _ in Just(answer).setFailureType(to: (any Error).self) })
    add("GrantError", GrantError.permanent(error), GrantError.transient(error))
    add("TokenSession", TokenSession(grant: refresh, store: MemoryTokenStore(credential)))
    add("RefreshTurns", RefreshTurns())
    add("TokenSessionError", TokenSessionError.refreshRefused(error))
    // Names only: nobody opens them.
    add("FileTokenStore", FileTokenStore(file: URL(fileURLWithPath: "/tmp/tokens")))
    add("FileTokenStoreError", FileTokenStoreError.malformed("/tmp/tokens"))
    add("DiskCacheError", DiskCacheError.notAFolder("/tmp/cache"))
  }
}
