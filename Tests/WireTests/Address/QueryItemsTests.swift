import Fixtures
import Foundation
import RESTKit
import Testing

@Suite("Names and values of a query or a form")
struct QueryItemsTests {
  private func pairs(_ items: QueryItems) -> [URLQueryItem] { Array(items) }

  @Test("A dictionary literal keeps the order and repeated names")
  func dictionaryLiteral() {
    let items: QueryItems = ["b": "2", "a": "1", "b": "2", "": ""]
    #expect(
      pairs(items) == [
        URLQueryItem(name: "b", value: "2"), URLQueryItem(name: "a", value: "1"),
        URLQueryItem(name: "b", value: "2"), URLQueryItem(name: "", value: ""),
      ])
  }

  @Test("A nil value leaves its name out of a dictionary literal")
  func absentValue() {
    let cursor: String? = nil
    let items: QueryItems = ["q": "x", "after": cursor]
    #expect(pairs(items) == [URLQueryItem(name: "q", value: "x")])
  }

  @Test("An array literal keeps an item without a value")
  func arrayLiteral() {
    let items: QueryItems = [URLQueryItem(name: "draft", value: nil), .init(name: "a", value: "1")]
    #expect(items.map(\.name) == ["draft", "a"])
    #expect(items.first?.value == nil)
  }

  @Test("An item is added at the end, and a nil value adds nothing")
  func append() {
    var items: QueryItems = ["a": "1"]
    items.append(name: "b", value: "2")
    items.append(name: "c", value: nil)
    #expect(items == ["a": "1", "b": "2"])
    #expect(items != ["b": "2", "a": "1"])
    #expect(items.count == 2)
    #expect(items[1] == URLQueryItem(name: "b", value: "2"))
  }

  @Test("Text forms show neither names nor values")
  func texts() {
    let items: QueryItems = ["canary": "canary", "q": "x"]
    var dumped = ""
    dump(items, to: &dumped)
    #expect("\(items)" == "QueryItems(2)")
    #expect(!dumped.contains("canary"))
    #expect(!String(reflecting: items).contains("canary"))
  }

  @Test("A dictionary becomes a list that is sorted by name")
  func dictionary() {
    let names = ["b": "2", "a": "1", "c": "3"]
    #expect(QueryItems(names) == ["a": "1", "b": "2", "c": "3"])
    #expect(HTTPHeaders(names) == ["a": "1", "b": "2", "c": "3"])
  }

  @Test("An array of items becomes a list with the same items")
  func array() {
    let items = [URLQueryItem(name: "a", value: "1"), URLQueryItem(name: "a", value: nil)]
    #expect(pairs(QueryItems(items)) == items)
    #expect(QueryItems([]).isEmpty)
  }
}
