import Foundation

/// httpbin's description of a request, which is incomplete for `/get`.
struct Echo: Decodable, Sendable, Equatable {
  let method: String?
  let url: String
  let args: [String: Values]
  let data: String?
  let form: [String: Values]?
  private let headers: [String: String]

  /// The value of a request header; names in any case.
  func header(_ name: String) -> String? {
    headers.first { $0.key.lowercased() == name.lowercased() }?.value
  }

  /// The value of a request header as the UTF-8 that was sent: httpbin reads it as ISO 8859-1.
  func utf8Header(_ name: String) -> String? {
    header(name)?.data(using: .isoLatin1).flatMap { String(data: $0, encoding: .utf8) }
  }

  /// The body's bytes: text as it is, all else as a data URL in base64.
  var body: Data? {
    guard let data else { return nil }
    let prefix = "data:application/octet-stream;base64,"
    guard data.hasPrefix(prefix) else { return Data(data.utf8) }
    return Data(base64Encoded: String(data.dropFirst(prefix.count)))
  }

  /// The values of one name: httpbin writes a single one bare, and several as a list.
  struct Values: Decodable, Sendable, Equatable, ExpressibleByArrayLiteral {
    let all: [String]

    init(arrayLiteral elements: String...) {
      all = elements
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let single = try? container.decode(String.self) {
        all = [single]
      } else {
        all = try container.decode([String].self)
      }
    }
  }
}
