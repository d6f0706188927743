import Foundation
import RESTKit
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension Recipes {
  // snippet: two-services
  struct Account: Sendable {
    let session: TokenSession
    let shop: ShopAPI
    let billing: ShopAPI

    init(transport: any Transport) {
      session = TokenSession(
        grant: JSONRefreshGrant(baseURL: "https://id.example.com", transport: transport))
      shop = ShopAPI(
        baseURL: "https://shop.example.com", transport: transport, session: session)
      billing = ShopAPI(
        baseURL: "https://billing.example.com", transport: transport, session: session)
    }

    var invoices: AnyPublisher<RESTResponse, any Error> {
      billing.get(endpoint: "invoices")
    }
  }
  // end

  // snippet: client-credentials
  func machine(secret: String, transport: any Transport) -> TokenSession {
    let client = OAuthClient(
      tokenEndpoint: "https://id.example.com/token", id: "nightly-report",
      authentication: .basic(secret: secret), transport: transport)
    return TokenSession(grant: ClientCredentialsGrant(client, scope: "orders:read"))
  }
  // end

  // snippet: further-proof
  func deleteDevice(_ id: String, password: String) -> AnyPublisher<RESTResponse, any Error> {
    let path: ResourcePath = "devices/\(id)"
    return shop.delete(path)
      .flatMap { answer in
        guard answer.statusCode == 401, let proof = answer.json?["session"]?.string else {
          return Just(answer).setFailureType(to: (any Error).self).eraseToAnyPublisher()
        }
        let auth: JSONValue = [
          "type": "m.login.password", "session": .string(proof), "password": .string(password),
        ]
        return shop.request(.delete, path, body: .json(["auth": auth]))
      }
      .eraseToAnyPublisher()
  }
  // end

  // snippet: processes
  func shared(file: URL, transport: any Transport) -> TokenSession {
    TokenSession(
      grant: JSONRefreshGrant(baseURL: "https://id.example.com", transport: transport),
      store: FileTokenStore(file: file))
  }
  // end

  // snippet: signed-out
  @MainActor
  final class Gate {
    private(set) var asksToSignIn = false
    private var watching: AnyCancellable?

    init(_ session: TokenSession) {
      watching = session.state.sink(on: .mainActor) { [weak self] state in
        self?.asksToSignIn = state == .signedOut || state == .expired
      }
    }
  }
  // end

  // snippet: expired-code
  func lenient(_ grant: some TokenGrant) -> TokenSession {
    let options = TokenSessionOptions(
      refusals: .unauthorized.or(.errorCode(["token_expired"], in: "code")))
    return TokenSession(grant: grant, options: options)
  }
  // end

  // snippet: api-key
  func keyed(_ key: String) -> AnyPublisher<RESTResponse, any Error> {
    let weather = ShopAPI(
      baseURL: "https://weather.example.com", transport: shop.transport,
      secretHeaders: ["X-Weather-Key"])
    return weather.get(endpoint: "today") { $0.settingHeader("X-Weather-Key", to: key) }
  }
  // end
}
