import Foundation
import RESTKitTesting
import Streams

@testable import RESTKit
@testable import RESTKitSignIn

extension CanarySamples {
  mutating func addSessions(_ error: RESTError) throws {
    let credential = Credential(accessToken: Canary.secret, refreshToken: Canary.secret)
    let authentications: [ClientAuthentication] = [
      .basic(secret: Canary.secret), .form(secret: Canary.secret), .none,
      .assertion(ClientAssertion { _ in Canary.secret }),
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
    let refresh = JSONRefreshGrant(
      baseURL: "https://h", extraFields: [Canary.secret: Canary.secret], transport: StubTransport())
    add("JSONRefreshGrant", refresh)
    add("Names", JSONRefreshGrant.Names())
    let extras: [String: JSONValue] = [Canary.secret: .string(Canary.secret)]
    let answer = TokenResponse(
      accessToken: Canary.secret, refreshToken: Canary.secret, extras: extras)
    add("TokenResponse", answer)
    add(
      "Credential",
      Credential(accessToken: Canary.secret, account: Canary.secret, extras: extras))
    add(
      "ClosureGrant",
      ClosureGrant { _ in Just(answer).setFailureType(to: (any Error).self) })
    add(
      "JSONSignInGrant",
      JSONSignInGrant(
        baseURL: "https://h", body: .json([Canary.secret: Canary.secret]), account: Canary.secret,
        transport: StubTransport()))
    let signedIn = Credential(accessToken: Canary.secret, account: Canary.secret, extras: extras)
    add(
      "ClosureSignIn",
      ClosureSignIn { _ in Just(signedIn).setFailureType(to: (any Error).self) })
    add(
      "ClosureRevocation",
      ClosureRevocation { _ in Empty<Void, any Error>() })
    add("GrantError", GrantError.permanent(error), GrantError.transient(error))
    add("TokenSession", TokenSession(grant: refresh, store: MemoryTokenStore(credential)))
    add("RefreshTurns", RefreshTurns())
    add("TokenSessionError", TokenSessionError.refreshRefused(error))
    // Only names: the files are never opened.
    add("FileTokenStore", FileTokenStore(file: URL(fileURLWithPath: "/tmp/tokens")))
    add("FileTokenStoreError", FileTokenStoreError.malformed("/tmp/tokens"))
    add("DiskCacheError", DiskCacheError.notAFolder("/tmp/cache"))
    try addSignIns()
  }

  private mutating func addSignIns() throws {
    let server = try AuthorizationServer(issuer: "https://h", tokenEndpoint: "https://h/token")
    let client = OAuthClient(
      server: server, id: "shop", authentication: .form(secret: Canary.secret),
      transport: StubTransport())
    add("AuthorizationServer", server)
    add("AuthorizationCodeGrant", AuthorizationCodeGrant(client) { _ in })
    add("LoopbackRedirect", LoopbackRedirect())
    add("DeviceAuthorizationGrant", DeviceAuthorizationGrant(client) { _ in })
    let answer = """
      {"device_code": "\(Canary.secret)", "user_code": "A", "verification_uri": "https://h/d",
      "expires_in": 9}
      """
    let device = try JSONDecoder().decode(DeviceResponse.self, from: Data(answer.utf8))
    add("DeviceAuthorization", device.authorization)
    add("OAuthRevocation", OAuthRevocation(client))
    add("ClientAssertion", ClientAssertion { _ in Canary.secret })
    add(
      "Subject",
      ClientAssertion.Subject(
        clientID: "shop", issuer: "https://h", tokenEndpoint: "https://h/token"))
    add("Audience", ClientAssertion.Audience.issuer)
    add("ClientAssertionError", ClientAssertionError(audience: "https://h", endpoint: "https://e"))
    let refusal = SignInRefusal(code: "x", explanation: Canary.secret).hiding([Canary.secret])
    add("SignInRefusal", refusal)
    add("SignInError", SignInError.refused(refusal), SignInError.stateMismatch)
  }
}
