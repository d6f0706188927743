// A profile is fetched with an access token that has expired: the 401 is answered with a refresh,
// and the same request is sent once more with the new token.
import Foundation
import RESTKit
import Streams
import Synchronization

let options = Options.parse()
let server = try options.baseURL == nil ? IdentityServer() : nil

// Tells of each exchange as it happens, and why a request is sent again.
let answers = Mutex<[RequestSummary: Int]>([:])
let transport = ObservedTransport(.shared) { exchange in
  let status = try? exchange.outcome.get()
  let before = answers.withLock { $0.updateValue(status ?? 0, forKey: exchange.request) }
  print(exchange, before.map { "(sent again after a \($0))" } ?? "")
}

let identity = IdentityService(
  baseURL: options.baseURL ?? server?.baseURL ?? "", transport: transport)
try identity.signIn(
  Credential(accessToken: options.accessToken, refreshToken: options.refreshToken))

switch try await identity.fetchProfile.value {
case .success(let profile):
  print("profile: \(profile.firstName) \(profile.lastName)")
case .failure(let error):
  FileHandle.standardError.write(Data("quickstart: \(error)\n".utf8))
  exit(1)
}
