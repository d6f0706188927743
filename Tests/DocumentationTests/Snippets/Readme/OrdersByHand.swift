import RESTKit
import Streams

// snippet: by-hand
nonisolated struct Token: Decodable, Sendable {
  let accessToken: String
}

struct HandmadeAPI: RESTAPI {
  let baseURL: String
  var transport: any Transport = .shared
  let token: CurrentValueSubject<String, Never>

  func refresh() -> AnyPublisher<Token, any Error> {
    post(endpoint: "auth/refresh")
      .unwrapResultJSON()
      .decode(type: Token.self)
      .handleEvents(receiveOutput: { [token] in token.send($0.accessToken) })
      .eraseToAnyPublisher()
  }

  func orders() -> AnyPublisher<[Order], any Error> {
    get(endpoint: "orders") { [token] in $0.addingBearerAuthorization(token: token.value) }
      .retryOnceOnUnauthorizedResponse(chainedRequest: refresh())
      .unwrapResultJSON()
      .decode(type: [Order].self)
      .eraseToAnyPublisher()
  }
}
// end

extension HandmadeAPI {
  func ordersUnlocked() -> AnyPublisher<RESTResponse, any Error> {
    // snippet: retry-on
    get(endpoint: "orders") { [token] in $0.addingBearerAuthorization(token: token.value) }
      .validateStatus()
      .retryOn(.status(423), retries: 2, chainedPublisher: post(endpoint: "unlock"))
      // end
      .eraseToAnyPublisher()
  }
}
