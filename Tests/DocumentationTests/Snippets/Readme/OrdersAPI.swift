import RESTKit
import Streams

// snippet: pipeline
nonisolated struct Order: Decodable, Sendable {
  let id: Int
  let total: Double
}

nonisolated struct Token: Decodable, Sendable {
  let accessToken: String
}

struct OrdersAPI: RESTAPI {
  let baseURL: String
  let transport: any Transport
  let token: CurrentValueSubject<String, Never>

  func orders() -> AnyPublisher<[Order], any Error> {
    get(endpoint: "orders") { [token] in $0.addingBearerAuthorization(token: token.value) }
      .retryOnceOnUnauthorizedResponse(chainedRequest: refresh())
      .unwrapResultJSON(includingArrays: true)
      .decode(type: [Order].self)
      .eraseToAnyPublisher()
  }

  func refresh() -> AnyPublisher<Token, any Error> {
    post(endpoint: "auth/refresh")
      .unwrapResultJSON()
      .decode(type: Token.self)
      .handleEvents(receiveOutput: { [token] in token.send($0.accessToken) })
      .eraseToAnyPublisher()
  }
}
// end

extension OrdersAPI {
  func ordersUnlocked() -> AnyPublisher<RESTResponse, any Error> {
    // snippet: retry-on
    get(endpoint: "orders") { [token] in $0.addingBearerAuthorization(token: token.value) }
      .validateStatus()
      .retryOn(.status(423), retries: 2, chainedPublisher: post(endpoint: "unlock"))
      // end
      .eraseToAnyPublisher()
  }
}
