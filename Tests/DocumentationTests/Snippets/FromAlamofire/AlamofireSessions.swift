// Tokens, retries, errors and logs of Docs/FromAlamofire.md.
import Foundation
import RESTKit
import RESTKitReports
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension FromAlamofire {
  // snippet: tokens
  static func signedIn(
    with credential: Credential, transport: any Transport
  ) throws -> ShopAPI {
    let session = TokenSession(
      grant: JSONRefreshGrant(
        baseURL: "https://id.example.com", endpoint: "refresh", transport: transport))
    try session.signIn(credential)
    return ShopAPI(
      baseURL: "https://shop.example.com/v1", transport: transport, session: session)
  }
  // end

  // snippet: retry
  static let patient = RetryPolicy(
    maxAttempts: 5, baseDelay: .seconds(1), idempotencyKey: { UUID().uuidString })

  static func pay(_ api: ShopAPI) -> AnyPublisher<RESTResponse, any Error> {
    api.post(endpoint: "payments").retry(patient).validateStatus()
      .eraseToAnyPublisher()
  }
  // end

  static func explain(_ api: ShopAPI) async -> String? {
    // snippet: errors
    do {
      let order = try await api.send(OrderRequest.read(id: 7))
      return "\(order.total)"
    } catch let error as RESTError {
      switch error.kind {
      case .status(404): return "There is no such order."
      case .status(409): return error.problem?.detail
      case .transport(.timedOut): return "The shop takes its time."
      default: return "\(error)"
      }
    } catch {
      return nil
    }
    // end
  }

  // snippet: log
  static func logged(
    _ transport: any Transport, to log: @escaping @Sendable (String) -> Void
  ) -> (any Transport, AnyCancellable) {
    let observed = ObservedTransport(transport)
    return (observed, observed.callLogs.sink { log("\($0)") })
  }
  // end

  static func described(_ request: URLRequest) -> String {
    // snippet: curl
    request.curlCommand()
    // end
  }
}
