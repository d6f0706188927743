import Foundation
import RESTKit
import Streams

struct Caching {
  // snippet: cache-api
  struct ShopAPI: RESTAPI {
    let baseURL = "https://shop.example/v1"
    let transport: any Transport
    let cache = HTTPCache()
  }
  // end

  nonisolated struct Item: Decodable, Sendable, Equatable {
    let id: Int
  }

  let api: any RESTAPI

  // snippet: cached
  func catalog(in cache: HTTPCache) -> AnyPublisher<[Item], any Error> {
    api.get(endpoint: "catalog").cached(in: cache).decode(type: [Item].self)
      .eraseToAnyPublisher()
  }
  // end

  // snippet: cached-endpoint
  struct Catalog: Endpoint {
    typealias Response = [Item]
    var path: ResourcePath { "catalog" }
  }

  func items(in cache: HTTPCache) -> AnyPublisher<[Item], any Error> {
    api.publisher(for: Catalog()).cached(in: cache)
  }
  // end

  // snippet: cached-then-fresh
  func latest(in cache: HTTPCache) -> AnyPublisher<[Item], any Error> {
    api.get(endpoint: "catalog").decode(type: [Item].self)
      .cached(in: cache, use: .cachedThenFresh)
  }
  // end

  // snippet: cache-folder
  func openCache(in folder: URL) throws -> HTTPCache {
    try HTTPCache(folder: folder, maxBytes: 100 << 20)
  }
  // end

  // snippet: cache-removal
  func signOff(from cache: HTTPCache, of profile: URL) async throws {
    cache.remove(profile)
    try await cache.removeAll().value
  }
  // end

  static func watch(
    _ transport: ObservedTransport, print: @escaping @Sendable (String) -> Void
  ) -> AnyCancellable {
    // snippet: cache-log
    transport.callEvents
      .filter { event in if case .cache = event.kind { true } else { false } }
      .sink { print("\($0)") }
    // end
  }
}
