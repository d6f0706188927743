import Foundation
import RESTKit
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension Recipes {
  // snippet: send-JSON
  struct PlaceOrder: Endpoint {
    typealias Response = Order
    let order: Order
    var method: HTTPMethod { .post }
    var path: ResourcePath { "orders" }
    var body: RequestBody? { .json(order) }
  }

  func place(_ order: Order) async throws -> Order {
    try await shop.send(PlaceOrder(order: order))
  }
  // end

  func form() -> AnyPublisher<RESTResponse, any Error> {
    // snippet: form
    let login = shop.post(
      endpoint: "login",
      body: .form(["user": "ada", "remember": true]))
    // end
    return login
  }

  func encodedForm(of order: Order) -> AnyPublisher<RESTResponse, any Error> {
    // snippet: encoded-form
    let charge = shop.post(
      endpoint: "charges",
      body: .form(encoding: order, naming: .dots))
    // end
    return charge
  }

  func jsonValue() -> AnyPublisher<String?, any Error> {
    // snippet: json-value
    let device =
      shop
      .post(endpoint: "login", body: .json(["type": "m.login.password", "user": ["id": 7]]))
      .decode(type: JSONValue.self)
      .map { $0["device"]?["id"]?.string }
    // end
    return device.eraseToAnyPublisher()
  }

  // snippet: lossy-list
  nonisolated struct OrdersPage: Decodable, Sendable {
    let orders: LossyArray<Order>
    let next: String?
  }

  func page() async throws -> OrdersPage {
    let page = try await shop.get(endpoint: "orders").decode(type: OrdersPage.self).value
    for skipped in page.orders.skipped { print(skipped) }  // [3]: "orders[3].total" is missing
    return page
  }
  // end

  func header() -> AnyPublisher<RESTResponse, any Error> {
    // snippet: header
    let orders = shop.get(endpoint: "orders", headers: ["Accept-Language": "de-AT"])
    // end
    return orders
  }

  func query() -> AnyPublisher<RESTResponse, any Error> {
    // snippet: query
    let orders = shop.get(
      endpoint: "orders",
      query: ["tag": "new & good", "tag": "50%", "page": 2])
    // end
    return orders
  }

  func query(ofLists ids: [Int]) -> AnyPublisher<RESTResponse, any Error> {
    // snippet: query-of-lists
    let orders = shop.get(
      endpoint: "orders",
      query: QueryItems(ids.map { ("ids[]", $0) }) + ["sort": "date"])
    // end
    return orders
  }

  // snippet: json-in-query
  struct Volumes: Endpoint {
    typealias Response = JSONValue
    let labels: [String]
    let path: ResourcePath = "volumes"
    var query: QueryItems {
      let filters: JSONValue = ["label": .array(labels.map(JSONValue.string))]
      return ["filters": filters.text(redaction: .none)]
    }
  }
  // end

  // snippet: api-headers
  struct TenantAPI: RESTAPI {
    let baseURL = "https://api.example.com/v1"
    let headers: HTTPHeaders = ["X-Tenant": "acme", "X-Api-Key": "…"]
  }
  // end

  struct User {
    let avatar: URL
  }

  struct UploadForm {
    let presignedURL: URL
  }

  func wholeURLs(of user: User, _ form: UploadForm, photo: URL) -> (
    AnyPublisher<RESTResponse, any Error>, AnyPublisher<UploadEvent, any Error>
  ) {
    // snippet: whole-URL
    let avatar = shop.get(url: user.avatar)
    let upload = shop.upload(url: form.presignedURL, body: .file(photo))
    // end
    return (avatar, upload)
  }

  func ready(_ request: URLRequest, url: URL) -> AnyPublisher<RESTResponse, any Error> {
    // snippet: ready-request
    let answer = shop.request(HTTPMethod(request.httpMethod ?? "GET"), url: url) { _ in request }
    // end
    return answer
  }

  // snippet: path
  struct File: Endpoint {
    typealias Response = RESTResponse
    let owner: String
    let name: String
    var path: ResourcePath { "users/\(owner)/files/\(name).pdf" }
  }
  // end

  func file(_ name: String, of owner: String) -> AnyPublisher<RESTResponse, any Error> {
    // snippet: path-verb
    let file = shop.get("users/\(owner)/files/\(name).pdf")
    // end
    return file
  }

  func time() -> AnyPublisher<RESTResponse, any Error> {
    // snippet: time-limit
    let report = shop.get(endpoint: "report") { request in
      var request = request
      request.timeoutInterval = 300
      return request
    }
    // end
    return report
  }

  func purge() -> AnyPublisher<RESTResponse, any Error> {
    // snippet: method
    let purged = shop.request(HTTPMethod("PURGE"), endpoint: "catalog")
    // end
    return purged
  }

  // snippet: compression
  struct LogAPI: RESTAPI {
    let baseURL: String
    let transport: any Transport
    let requestCompression = RequestCompression.gzip(minimumBytes: 512)
  }
  // end
}
