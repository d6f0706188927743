// Fetches a profile with an expired access token. After the 401, the session refreshes the token,
// and the same request is sent again with the new token.
import IdentityKit
import RESTKit
import Streams

let options = Options.parse()
let server = try IdentityServer(unlessAt: options.baseURL)

let transport = PrintingTransport.make()
let trace = Trace(of: transport, to: options.traceFile)
let identity = IdentityService(baseURL: server.baseURL, transport: transport)
try identity.signIn(
  Credential(accessToken: options.accessToken, refreshToken: options.refreshToken))

switch try await identity.fetchProfile.value {
case .success(let profile): print("profile: \(profile.firstName) \(profile.lastName)")
case .failure(let error): Options.fail("\(error)", code: 1)
}
try trace?.write()
