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

  @Test("A literal takes numbers and booleans, and a nil number leaves its name out")
  func numbers() {
    let page = 2
    let limit: Int? = nil
    let items: QueryItems = [
      "page": page, "size": 50, "limit": limit, "exact": true, "ratio": 0.5, "q": "x",
    ]
    #expect(
      items == ["page": "2", "size": "50", "exact": "true", "ratio": "0.5", "q": "x"])
  }

  @Test("Pairs become a list in their order, and a nil value leaves its name out")
  func sequenceOfPairs() {
    let ids = [7, 3]
    #expect(QueryItems(ids.map { ("ids[]", $0) }) == ["ids[]": "7", "ids[]": "3"])
    #expect(QueryItems(ids.map { ("ids[]", "\($0)") }) == ["ids[]": "7", "ids[]": "3"])
    let names: [String?] = ["a", nil, ""]
    #expect(QueryItems(names.map { ("name", $0) }) == ["name": "a", "name": ""])
  }

  @Test("Pairs of a dictionary, and pairs with values of different types, make a list, too")
  func otherPairs() {
    let limits = ["b": 2, "a": 1]
    #expect(QueryItems(limits) == ["a": 1, "b": 2])
    #expect(QueryItems(limits.sorted { $0.key > $1.key }) == ["b": 2, "a": 1])
    let ordered: KeyValuePairs = ["z": "1", "y": "2"]
    #expect(QueryItems(ordered) == ["z": 1, "y": 2])
    #expect(QueryItems([("a", 1), ("b", true), ("c", nil)]) == ["a": 1, "b": true])
    #expect(QueryItems(["q": "x", "page": 2, "after": nil]) == ["q": "x", "page": 2])
  }

  @Test("Lists are joined in order, with repeated names")
  func sum() {
    let paging: QueryItems = ["page": 2]
    var items = QueryItems() + ["q": "x"] + paging
    #expect(items == ["q": "x", "page": "2"])
    items += ["q": "y"]
    #expect(items == ["q": "x", "page": "2", "q": "y"])
    items.append(contentsOf: QueryItems())
    #expect(items.count == 3)
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
