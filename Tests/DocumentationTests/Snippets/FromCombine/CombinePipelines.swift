// The pipelines of Docs/FromCombine.md.
import Foundation
import RESTKit
import Streams

enum FromCombine {
  struct ShopAPI: RESTAPI {
    let baseURL: String
    var transport: any Transport = .shared
  }

  nonisolated struct Product: Decodable, Sendable {
    let name: String
  }

  enum APIError: Error, Equatable {
    case unauthorized
    case negativePrice
    case empty
  }
}

extension FromCombine.ShopAPI {
  func products(named name: String) -> AnyPublisher<[FromCombine.Product], any Error> {
    get(endpoint: "products", query: ["name": name])
      .decode(type: [FromCombine.Product].self)
      .eraseToAnyPublisher()
  }
}

extension FromCombine {
  // snippet: model
  @MainActor final class SearchModel {
    private(set) var names: [String] = []
    let text = PassthroughSubject<String, Never>()
    private var cancellables = Set<AnyCancellable>()

    init(api: ShopAPI, scheduler: any Scheduler = .mainActor) {
      text
        .debounce(for: .milliseconds(300), scheduler: scheduler)
        .removeDuplicates()
        .map { api.products(named: $0).replaceError(with: []) }
        .switchToLatest()
        .map { products in products.map(\.name) }
        .sink(on: .mainActor) { [weak self] in self?.names = $0 }
        .store(in: &cancellables)
    }
  }
  // end

  static func afterRefresh(
    _ request: AnyPublisher<String, APIError>, refresh: AnyPublisher<Void, APIError>
  ) -> AnyPublisher<String, APIError> {
    // snippet: retryOn
    request
      .retryOn(.unauthorized, retries: 1, chainedPublisher: refresh)
      .eraseToAnyPublisher()
    // end
  }

  // snippet: typed
  static func checked(_ prices: AnyPublisher<Int, Never>) -> AnyPublisher<Int, APIError> {
    prices
      .tryMap { price throws(APIError) in
        guard price >= 0 else { throw .negativePrice }
        return price
      }
      .eraseToAnyPublisher()
  }
  // end
}
