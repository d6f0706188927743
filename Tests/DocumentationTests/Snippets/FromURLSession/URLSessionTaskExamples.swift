// The tasks of Docs/FromURLSession.md.
import Foundation
import RESTKit
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

enum FromURLSession {
  struct ShopAPI: RESTAPI {
    let baseURL: String
    var transport: any Transport = .shared
  }

  nonisolated struct Order: Codable, Sendable, Equatable {
    var id: Int
  }

  static func data(of api: ShopAPI) async throws -> (Data, Int) {
    // snippet: data
    let response = try await api.get(endpoint: "orders/7").value
    guard response.isSuccess else { throw URLError(.badServerResponse) }
    return (response.data, response.statusCode)
    // end
  }

  static func order(of api: ShopAPI) -> AnyPublisher<Order, any Error> {
    // snippet: publisher
    api.get(endpoint: "orders/7")
      .decode(type: Order.self)
      .receive(on: .mainActor)
      .eraseToAnyPublisher()
    // end
  }

  static func post(_ order: Order, to api: ShopAPI) async throws -> Int {
    // snippet: post
    let response = try await api.post(endpoint: "orders", body: .json(order)) { request in
      var request = request.settingHeader("Accept-Language", to: "de")
      request.timeoutInterval = 10
      return request
    }
    .validateStatus()
    .value
    // end
    return response.statusCode
  }

  static func upload(_ file: URL, to api: ShopAPI) async throws -> RESTResponse {
    // snippet: upload
    try await api.upload(.put, endpoint: "backup", body: .file(file))
      .compactMap(\.response)
      .value
    // end
  }

  static func lines(of api: ShopAPI, show: (String) -> Void) async throws {
    // snippet: bytes
    var rest = Data()
    for try await event in api.events(endpoint: "prices").values {
      guard case .chunk(let chunk) = event else { continue }
      rest += chunk
      while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        show(String(decoding: rest[..<end], as: UTF8.self))
        rest = Data(rest[(end + 1)...])
      }
    }
    // end
  }

  static func picture(
    at url: URL, of api: ShopAPI, show: @escaping @Sendable (Double) -> Void
  ) async throws -> Data {
    // snippet: progress
    var picture = Data()
    let events = api.events(url: url).validateStatus().handleProgress { progress in
      show(progress.fractionCompleted ?? 0)
    }
    for try await case .chunk(let chunk) in events.values { picture += chunk }
    return picture
    // end
  }

  static func catalog(of api: ShopAPI, cache: HTTPCache) -> AnyPublisher<[Order], any Error> {
    // snippet: cache
    api.get(endpoint: "catalog")
      .cached(in: cache, use: .revalidated)
      .decode(type: [Order].self)
      .eraseToAnyPublisher()
    // end
  }

  static func report(of api: ShopAPI) -> AnyPublisher<RESTResponse, any Error> {
    // snippet: time
    api.get(endpoint: "report") {
      var request = $0
      request.timeoutInterval = 2.5  // for the whole exchange
      return request
    }
    .retry(RetryPolicy(totalTime: .seconds(20)))  // for all attempts, and the waits between
    // end
  }

  // snippet: redirects
  struct StrictAPI: RESTAPI {
    let baseURL: String
    var transport: any Transport = .shared
    let redirects = RedirectPolicy.sameOrigin
    let secretHeaders = ["X-Shop-Key"]
  }
  // end
}
