import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import Testing

@Suite("Lists that leave out what does not decode")
struct LossyArrayTests {
  private struct Order: Codable, Hashable {
    let id: Int
    var at: Date?
  }

  private struct Page: Codable {
    @LossyArray var orders: [Order]
    var next: String?
  }

  private func decoded<Value: Decodable>(
    _ text: String, as type: Value.Type = Value.self, by decoder: JSONDecoder = JSONDecoder()
  ) throws -> Value {
    try decoder.decode(type, from: Data(text.utf8))
  }

  @Test("What decodes is kept in its order; what does not is told with its index and its reason")
  func elements() throws {
    let list = try decoded(
      #"[{"id": 1}, {"id": "canary"}, {}, null, 7, {"id": 2}, [{"id": 3}]]"#,
      as: LossyArray<Order>.self)
    #expect(list.wrappedValue == [Order(id: 1), Order(id: 2)])
    #expect(list.skipped.map(\.index) == [1, 2, 3, 4, 6])
    let texts = list.skipped.map(\.description)
    #expect(texts[0] == #"[1]: "[1].id" is a string and must be of type Int"#)
    #expect(texts[1] == #"[2]: "[2].id" is missing"#)
    #expect(!texts.joined().contains("canary"))
    #expect(list.projectedValue == list.skipped)
  }

  @Test("As a property it is an array, and its reasons name the whole place")
  func property() throws {
    let page = try decoded(
      #"{"orders": [{"id": 1}, {"id": true}], "next": "x"}"#, as: Page.self)
    #expect(page.orders == [Order(id: 1)])
    #expect(page.$orders.count == 1)
    #expect(page.$orders.first?.reason.contains(#""orders[1].id" is a Boolean"#) == true)
    #expect(page.next == "x")
    let written = try JSONEncoder().encode(page)
    #expect(try JSONDecoder().decode(Page.self, from: written).orders == [Order(id: 1)])
    #expect(Page(orders: []).$orders.isEmpty)
  }

  @Test("The strategies of the decoder apply to the elements")
  func strategies() throws {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .secondsSince1970
    let dates = try decoded("[0, \"x\", 60]", as: LossyArray<Date>.self, by: decoder)
    #expect(dates.wrappedValue.map(\.timeIntervalSince1970) == [0, 60])
    #expect(dates.skipped.map(\.index) == [1])
    #expect(try decoded("[1, null]", as: LossyArray<Int?>.self).wrappedValue == [1, nil])
    #expect(
      try decoded("[[1, \"x\"], 2]", as: LossyArray<LossyArray<Int>>.self).wrappedValue
        .map(\.wrappedValue) == [[1]])
  }

  @Test("What is no list, and an absent member, fail as those of an array do")
  func noList() throws {
    for text in ["{}", "7", "null", "[1", #"{"next": "x"}"#] {
      #expect(throws: DecodingError.self) { try decoded(text, as: LossyArray<Int>.self) }
      #expect(throws: DecodingError.self) { try decoded(text, as: Page.self) }
    }
  }

  @Test("The log of the call says how many elements are missing, and why the first one")
  func log() async throws {
    let body = #"{"orders": [{"id": 1}, {"id": "canary"}, {}]}"#
    let observed = ObservedTransport(
      StubTransport(.get, "https://api.example.com/v1/orders", result: .json(body)))
    let texts = Lock<[String]>([])
    let subscription = observed.callEvents.sink { event in
      texts.withLock { $0.append("\(event)") }
    }
    let page = try await TestAPI(transport: observed).get(endpoint: "orders")
      .decode(type: Page.self).value
    subscription.cancel()
    #expect(page.orders.count == 1)
    let log = texts.withLock(\.self).joined(separator: "\n")
    #expect(
      log.contains(
        #"decoded as Page, without 2 elements: "orders[1].id" is a string and must be of type Int"#)
    )
    #expect(!log.contains("canary"))
  }
}
