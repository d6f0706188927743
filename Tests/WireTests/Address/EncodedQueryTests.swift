import Foundation
import RESTKit
import Testing

@Suite("A query or a form from a type of the app")
struct EncodedQueryTests {
  private struct Customer: Encodable {
    var id: UInt64 = .max
    var tags = ["b", "a"]
  }

  private struct Line: Encodable {
    let sku: String
    let count: Int
  }

  private struct Filter: Encodable {
    var states: [String]? = ["open", "paid & sent"]
    var customer: Customer? = Customer()
    var lines = [Line(sku: "x", count: 2), Line(sku: "y", count: 1)]
    var since: Date? = Date(timeIntervalSince1970: 0)
    var isExact = true
    var text = "\"{[,:]}\" é"
  }

  private func text(_ items: QueryItems) -> [String] {
    items.map { "\($0.name)=\($0.value ?? "nil")" }
  }

  private var encoder: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.keyEncodingStrategy = .convertToSnakeCase
    return encoder
  }

  @Test("Names say where values are, in the form that the server reads")
  func nested() throws {
    let plain = [
      "is_exact=true", "since=1970-01-01T00:00:00Z", "text=\"{[,:]}\" é",
    ]
    let all: [(FieldNaming, [String])] = [
      (
        .brackets,
        [
          "customer[id]=18446744073709551615", "customer[tags][]=b", "customer[tags][]=a", plain[0],
          "lines[][count]=2", "lines[][sku]=x", "lines[][count]=1", "lines[][sku]=y", plain[1],
          "states[]=open", "states[]=paid & sent", plain[2],
        ]
      ),
      (
        .indexed,
        [
          "customer[id]=18446744073709551615", "customer[tags][0]=b", "customer[tags][1]=a",
          plain[0], "lines[0][count]=2", "lines[0][sku]=x", "lines[1][count]=1", "lines[1][sku]=y",
          plain[1], "states[0]=open", "states[1]=paid & sent", plain[2],
        ]
      ),
      (
        .dots,
        [
          "customer.id=18446744073709551615", "customer.tags=b", "customer.tags=a", plain[0],
          "lines.count=2", "lines.sku=x", "lines.count=1", "lines.sku=y", plain[1], "states=open",
          "states=paid & sent", plain[2],
        ]
      ),
    ]
    for (naming, expected) in all {
      #expect(
        try text(QueryItems(encoding: Filter(), encoder: encoder, naming: naming)) == expected)
    }
  }

  @Test("What is absent, null or empty is left out, and elements behind a null keep their numbers")
  func absent() throws {
    let filter = Filter(states: nil, customer: nil, lines: [], since: nil, text: "")
    #expect(try text(QueryItems(encoding: filter)) == ["isExact=true", "text="])
    let values: [String: [Int?]] = ["a": [1, nil, 3]]
    #expect(try text(QueryItems(encoding: values, naming: .indexed)) == ["a[0]=1", "a[2]=3"])
    #expect(try QueryItems(encoding: [String: Int]()).isEmpty)
    #expect(
      try text(QueryItems(encoding: ["a": [["b": [1, 2]], [:]]])) == ["a[][b][]=1", "a[][b][]=2"])
  }

  @Test("More than ten elements keep their order")
  func many() throws {
    let expected = (0..<12).map { "a[\($0)]=\($0)" }
    #expect(try text(QueryItems(encoding: ["a": Array(0..<12)], naming: .indexed)) == expected)
  }

  @Test("Numbers keep their digits")
  func numbers() throws {
    let decimal = try #require(Decimal(string: "12345678901234567890.123"))
    #expect(
      try text(QueryItems(encoding: ["a": decimal])) == ["a=12345678901234567890.123"])
    #expect(try text(QueryItems(encoding: ["a": -0.5])) == ["a=-0.5"])
  }

  @Test("A value without names is refused, with the remedy")
  func refused() {
    for value in [[1, 2] as any Encodable, "text", 7] {
      let error = #expect(throws: EncodingError.self) { try QueryItems(encoding: value) }
      #expect("\(error, default: "")".contains("Encode a type with members."))
    }
    #expect(throws: EncodingError.self) { try QueryItems(encoding: ["a": Double.nan]) }
  }
}
