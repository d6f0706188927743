import Foundation
import RESTKit

/// The examples of Docs/TokenStores.md.
struct TokenStoresExamples {
  // snippet: session
  func makeSession(in folder: URL, transport: any Transport = .shared) -> TokenSession {
    let client = OAuthClient(
      tokenEndpoint: "https://id.example.com/o/token/", id: "shop-app", authentication: .none,
      transport: transport)
    return TokenSession(
      grant: RefreshTokenGrant(client),
      store: FileTokenStore(file: folder.appending(path: "Shop/credential.json")))
  }
  // end
}
