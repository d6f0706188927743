import Fixtures
import Foundation
import Testing

@testable import HTTPTransport
@testable import RESTKit
@testable import RESTKitReports
@testable import RESTKitTesting

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("SEC-11: where a secret stands, and who sees it", .timeLimit(.minutes(10)))
struct SecretTableTests {
  /// A request with a secret in one place.
  private struct Row {
    let title: String
    let request: @Sendable (_ name: String, _ secret: String) throws -> URLRequest

    init(
      _ title: String, _ request: @escaping @Sendable (String, String) throws -> URLRequest
    ) {
      self.title = title
      self.request = request
    }

    init(
      _ title: String, type: String, coding: String? = nil,
      body: @escaping @Sendable (String, String) throws -> Data
    ) {
      self.init(title) { name, secret in
        var request = try Self.request()
        request.httpMethod = "POST"
        request.setValue(type, forHTTPHeaderField: "Content-Type")
        request.setValue(coding, forHTTPHeaderField: "Content-Encoding")
        request.httpBody = try body(name, secret)
        return request
      }
    }

    static func request(_ rest: String = "") throws -> URLRequest {
      URLRequest(url: try #require(URL(string: "https://h.example/a\(rest)")))
    }
  }

  private static let json = "application/json"

  private static let rows = [
    Row("a header field") { name, secret in
      var request = try Row.request()
      request.setValue(secret, forHTTPHeaderField: name)
      return request
    },
    Row("a query item") { name, secret in try Row.request("?page=2&\(name)=\(secret)") },
    Row("behind a semicolon in a query") { try Row.request("?page=2;\($0)=\($1)") },
    Row("a URL in a query item") { name, secret in
      try Row.request("?next=https%3A%2F%2Fh%2F%3F\(name)%3D\(secret)")
    },
    Row("a fragment") { name, secret in try Row.request("#\(name)=\(secret)") },
    Row("a form field", type: "application/x-www-form-urlencoded") { name, secret in
      Data("page=2&\(name)=\(secret)".utf8)
    },
    Row("a form that is sent as text", type: "text/plain") { name, secret in
      Data("page=2&\(name)=\(secret)".utf8)
    },
    Row("JSON in a form field", type: "application/x-www-form-urlencoded") { name, secret in
      Data("page=%7B%22\(name)%22%3A%22\(secret)%22%7D".utf8)
    },
    Row("a member of JSON", type: json) { Data(#"{"a": [{"\#($0)": "\#($1)"}]}"#.utf8) },
    Row("a `name` with its `value` in JSON", type: json) { name, secret in
      Data(#"{"name": "\#(name)", "value": "\#(secret)"}"#.utf8)
    },
    Row("JSON in a string of JSON", type: json) { name, secret in
      Data(#"{"a": "{\"\#(name)\": \"\#(secret)\"}"}"#.utf8)
    },
    Row("a URL in a string of JSON", type: json) { name, secret in
      Data(#"{"a": "https://me:\#(secret)@h/?\#(name)=\#(secret)"}"#.utf8)
    },
    Row("a literal of GraphQL", type: json) { name, secret in
      Data(#"{"query": "mutation { a(\#(name): \"\#(secret)\") }"}"#.utf8)
    },
    Row("a part of a multipart form", type: "multipart/form-data; boundary=b") { name, secret in
      Data(
        "--b\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(secret)\r\n--b--\r\n".utf8
      )
    },
    Row("JSON in a part of a multipart form", type: "multipart/form-data; boundary=b") {
      let head = "Content-Disposition: form-data; name=\"a\"\r\nContent-Type: application/json"
      return Data("--b\r\n\(head)\r\n\r\n{\"\($0)\": \"\($1)\"}\r\n--b--\r\n".utf8)
    },
    Row("a text such as `NAME=value`", type: "text/plain") { Data("A=b\n\($0)=\($1)\n".utf8) },
    Row("an element of XML", type: "application/xml") { Data("<a><\($0)>\($1)</\($0)></a>".utf8) },
    Row("an attribute of XML", type: "application/xml") { Data("<a \($0)=\"\($1)\"/>".utf8) },
    Row("a body in gzip", type: json, coding: "gzip") { name, secret in
      let body = Data(#"{"\#(name)": "\#(secret)"}"#.utf8)
      return try #require(try GzipEncoder.encode(body, with: GzipEncoder()))
    },
  ]

  private static let readers: [(title: String, read: @Sendable (URLRequest) throws -> String)] = [
    (
      "errors, logs, `print`",
      { request in
        let headers = HTTPHeaders((request.allHTTPHeaderFields ?? [:]).map { ($0.key, $0.value) })
        let head = ResponseHead(
          url: try #require(request.url), statusCode: 400, headers: headers)
        let response = RESTResponse(
          head: head, data: request.httpBody ?? Data(), request: RequestSummary(request))
        return
          (allTexts(of: headers) + allTexts(of: response)
          + allTexts(of: RESTError(unacceptable: response))).joined()
      }
    ),
    ("curl and HAR, `.strict`", { try Self.reports($0, .strict) }),
    ("curl and HAR, `.byName`", { try Self.reports($0, .byName) }),
    (
      "a recording of a test",
      { request in
        let exchange = RecordedExchange(
          request: request, start: Date(timeIntervalSince1970: 0), isInPieces: false, limit: 9_999)
        return String(
          decoding: HAR(recording: [exchange], names: RecordedNames()).data, as: UTF8.self)
      }
    ),
  ]

  private static func reports(_ request: URLRequest, _ redaction: Redaction) throws -> String {
    let recording = HARRecording(
      request: request, requestBody: HARBody(request.httpBody ?? Data()),
      start: Date(timeIntervalSince1970: 0), outcome: .failure(CancellationError()),
      duration: .zero, metrics: nil)
    let entry = try #require(HAREntry(recording, redaction: redaction))
    return request.curlCommand(redaction: redaction)
      + String(decoding: HAR(entries: [entry]).data, as: UTF8.self)
  }

  /// A name for each entry of the one list.
  private static let names =
    SecretNames.words.sorted() + SecretNames.stems + SecretNames.endings.map { "client_\($0)" }
    + SecretNames.wholeNames.sorted()

  /// What a reader sees of a secret with each name.
  private static func cell(
    _ row: Row, _ read: (URLRequest) throws -> String
  ) throws -> String {
    let cells = try names.map { name in
      let text = try read(row.request(name, Canary.secret))
      if Canary.isTold(in: text) {
        Issue.record("\(row.title), \(name): \(text)")
        return "the secret"
      }
      return text.lowercased().contains(name.lowercased()) ? "the name" : "nothing"
    }
    // Some names are also words of the text around them.
    return cells.contains("nothing") ? "nothing" : cells[0]
  }

  @Test("The table in Docs/Security.md is what each reader sees, for each name of the one list")
  func table() throws {
    var lines = ["| a secret in | " + Self.readers.map(\.title).joined(separator: " | ") + " |"]
    lines.append("| --- |" + String(repeating: " --- |", count: Self.readers.count))
    for row in Self.rows {
      let cells = try Self.readers.map { try Self.cell(row, $0.read) }
      lines.append("| \(row.title) | \(cells.joined(separator: " | ")) |")
    }
    let page = try String(
      contentsOf: PackageFolder.url.appending(path: "Docs/Security.md"), encoding: .utf8)
    let table = lines.joined(separator: "\n")
    let isThere = page.contains(table)
    #expect(isThere, "Docs/Security.md has another table than this:\n\(table)")
  }

  @Test("Each public type with a secret by its name has a sample whose texts are searched")
  func publicTypes() throws {
    var types: Set<String> = []
    for module in ["RESTKit", "RESTKitReports", "RESTKitSignIn", "IdentityKit"] {
      let list = PackageFolder.url.appending(path: "Docs/API/\(module).txt")
      for line in try String(contentsOf: list, encoding: .utf8).split(separator: "\n") {
        guard let member = line.firstMatch(of: /^(?:var |let |case )?([A-Z][\w.]*)\.(\w+)/) else {
          continue
        }
        let labels = line.matches(of: /[(,] ?(\w+): [\[]?String/).map { String($0.1) }
        let isText = line.contains(/: String\??(?: |$)/)
        let names = (isText && line.hasPrefix("var ") ? [String(member.2)] : []) + labels
        let isMade = line.contains(".init(") || !line.hasPrefix(member.1)
        guard isMade, names.contains(where: { SecretNames.standard.contains($0) }) else { continue }
        types.insert(String(member.1.split(separator: ".").last ?? ""))
      }
    }
    #expect(types.isSuperset(of: ["Credential", "TokenResponse", "ClientCertificate"]))
    let samples = Set(try CanarySamples().values.map(\.type))
    #expect(types.subtracting(samples).subtracting(Self.withoutSecret.keys) == [])
    #expect(Set(Self.withoutSecret.keys).subtracting(types) == [])
  }

  /// Types with the name of a secret for something else, and what it is.
  private static let withoutSecret: [String: String] = [:]
}
