import Foundation

/// A response's body, as APIs send it.
struct Body {
  let title: String
  let data: Data
  /// Whether the goals apply to this body: it is a list of objects.
  let isTypical: Bool

  static let all = [
    Body(title: "a profile, compact", result: profile),
    Body(title: "100 orders, compact", result: #"{"orders":[\#(orders(100))]}"#),
    Body(title: "5,000 orders, compact", result: #"{"orders":[\#(orders(5_000))]}"#),
    Body(title: "1,000 orders, indented", pretty: #"{"orders":[\#(orders(1_000))]}"#),
    Body(title: "an article with escapes", result: #"{"text":"\#(article)"}"#),
    Body(title: "20,000 coordinates", result: #"{"points":[\#(points(20_000))]}"#),
  ]

  private init(title: String, result: String) {
    self.title = title
    isTypical = title.contains("orders")
    data = Data(#"{"status":"ok","result":\#(result),"next":null}"#.utf8)
  }

  private init(title: String, pretty result: String) {
    self.init(title: title, result: result.replacing(",", with: ",\n      "))
  }

  private static let profile =
    #"{"id":"8f14e45f-ceea-467f-a8f6-1b2c3d4e5f60","firstName":"Ada","lastName":"Lovelace","#
    + #""email":"ada@example.com","address":{"street":"St James's Square 12","city":"London"},"#
    + #""createdAt":"2026-01-02T03:04:05Z","roles":["reader","writer"],"isActive":true}"#

  private static func orders(_ count: Int) -> String {
    (0..<count).map { number in
      #"{"id":\#(100_000 + number),"state":"shipped","total":\#(number).50,"currency":"EUR","#
        + #""customer":{"name":"Customer number \#(number)","city":"Zürich"},"#
        + #""lines":[{"sku":"A-\#(number)","quantity":2},{"sku":"B-\#(number)","quantity":1}],"#
        + #""note":null,"isGift":false}"#
    }.joined(separator: ",")
  }

  private static let article = String(
    repeating: #"A line of text, \"quoted\" here and there, as people write it.\nAnd one more. "#,
    count: 2_000)

  private static func points(_ count: Int) -> String {
    (0..<count).map { "[\(Double($0) * 0.0137),-\(Double($0) * 0.0071),\($0)]" }
      .joined(separator: ",")
  }
}
