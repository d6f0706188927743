// Code that needs an annotation in a module that is on the main actor by default, as the table of
// Docs/InAnAppOfToday.md lists it. `.ci/isolation` expects the compiler to refuse this code.
import Foundation
import RESTKit
import Streams

struct ShopAPI: RESTAPI {
  let baseURL: String
}

struct Order: Codable, Sendable, Equatable {
  let id: Int
}

struct Page: Sendable {
  let orders: [Int]
}

func decoding(_ shop: ShopAPI) {
  // expected-error @+1 2 {{main actor-isolated conformance of 'Order' to 'Decodable' cannot satisfy conformance requirement for a 'Sendable' type parameter}}
  _ = shop.get(endpoint: "orders").decode(type: [Order].self)
}

func encoding(_ order: Order) -> RequestBody {
  // expected-error @+1 {{main actor-isolated conformance of 'Order' to 'Encodable' cannot satisfy conformance requirement for a 'Sendable' type parameter}}
  .json(order)
}

func comparing(_ orders: PassthroughSubject<Order, Never>) {
  // expected-error @+1 {{main actor-isolated conformance of 'Order' to 'Equatable' cannot satisfy conformance requirement for a 'Sendable' type parameter}}
  _ = orders.removeDuplicates()
}

func picking(_ pages: PassthroughSubject<Page, Never>) {
  // expected-error @+1 {{type 'KeyPath<Page, Array<Int>>' does not conform to the 'Sendable' protocol}}
  _ = pages.map(\.orders)
}

struct Answer: Sendable {
  let result: Int?
}

func compacting(_ answers: PassthroughSubject<Answer, Never>) {
  // expected-error @+1 {{converting non-Sendable function value to '@Sendable (Answer) -> Int?' may introduce data races}}
  _ = answers.compactMap(\.result)
}

enum Places {
  static let shop = "https://shop.example"
}

struct PlacesAPI: RESTAPI {
  // expected-error @+1 {{main actor-isolated default value in a nonisolated context}}
  let baseURL = "\(Places.shop)/v1"
}

extension Publisher {
  func named() -> Publishers.Map<Self, String> { map { "\($0)" } }
}

func operating(_ numbers: PassthroughSubject<Int, Never>) {
  // expected-error @+1 {{call to main actor-isolated instance method 'named()' in a synchronous nonisolated context}}
  _ = numbers.map { Just($0).named() }.switchToLatest()
}

final class Model {
  var text = ""

  func follow(_ words: PassthroughSubject<String, Never>) -> [AnyCancellable] {
    [
      // expected-error @+1 {{main actor-isolated property 'text' can not be mutated from a Sendable closure}}
      words.sink { self.text = $0 },
      words.assign(to: \.text, on: self),
      words.sink(on: .mainActor) { self.text = $0 },
    ]
  }
}

protocol ShopRequest: Endpoint {}

// expected-error @+1 {{conformance of 'Catalog' to protocol 'Endpoint' crosses into main actor-isolated code and can cause data races}}
struct Catalog: ShopRequest {
  typealias Response = [String]
  var path: ResourcePath { "catalog" }
}
