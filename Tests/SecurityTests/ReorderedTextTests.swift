import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

@testable import HTTPTransport
@testable import HTTPWire
@testable import RESTKit
@testable import RESTKitReports

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Characters that reorder the text around them are escaped in texts")
struct ReorderedTextTests {
  /// The characters of Unicode Standard Annex 9, section 2, and other ends of lines.
  private static let characters: [Character] =
    ([0x61C, 0x200E, 0x200F] + Array(0x202A...0x202E) + Array(0x2066...0x2069)
    + [0x85, 0x2028, 0x2029])
    .compactMap(Unicode.Scalar.init).map(Character.init)

  /// Texts that are printed, by what prints them, made of a text with such a character.
  private static let printed: [(String, @Sendable (String) async throws -> [Any])] = [
    ("HTTPHeaders", { [HTTPHeaders([("X-\($0)", "1"), ("X", $0), ("Accept", $0)])] }),
    (
      "ResponseHead",
      { [ResponseHead(url: try url(), statusCode: 200, headers: ["Server": $0])] }
    ),
    ("HTTPMethod", { [HTTPMethod($0), RequestSummary(method: HTTPMethod($0), url: nil)] }),
    (
      "RequestSummary", { [RequestSummary(method: .get, url: URL(string: "http://h.\($0)/\($0)"))] }
    ),
    (
      "TransportError",
      { text in
        let fault = TransportError(kind: .timedOut, detail: text, mayHaveBeenProcessed: true)
        let error = RESTError(fault, request: RequestSummary(method: .get, url: nil))
        let end = Exchange(
          request: RequestSummary(method: .get, url: nil), outcome: .failure(error),
          duration: .zero, metrics: nil)
        return [fault, fault.bodyReason, error, error.reason, error.localizedDescription, end]
      }
    ),
    (
      "decoding failure",
      { text in
        let body = Data("{\"a\": {\"\(text)\": {\"b\": \"1\"}}}".utf8)
        let head = ResponseHead(url: try url(), statusCode: 200, headers: [:])
        let response = RESTResponse(
          head: head, data: body, request: RequestSummary(method: .get, url: nil))
        do {
          _ = try JSONDecoder().decode([String: [String: [String: Int]]].self, from: body)
          return []
        } catch {
          return [RESTError(decoding: [String].self, from: response, error: error)]
        }
      }
    ),
    ("HTTPLink", { HTTPHeaders([("Link", "</\($0)>; rel=\"a\($0)\"")]).links }),
    ("JSONValue", { [JSONValue.object([$0: 1]), JSONValue.string($0).text(redaction: .none)] }),
    (
      "URLJoinError",
      { [URLJoinError(.endpoint, text: $0, "is wrong", remedy: "correct it")] }
    ),
    ("ProxyServer", { [ProxyServer(try url("http://h\(escaped($0)):1"))] }),
    (
      "ClientCertificate",
      { [ClientCertificate(certificate: URL(fileURLWithPath: "/\($0)"), key: try url())] }
    ),
    ("FileTokenStoreError", { [FileTokenStoreError(POSIXError(.ENOENT), "/a\($0)")] }),
    ("DiskCacheError", { [DiskCacheError(POSIXError(.ENOENT), "/a\($0)")] }),
    ("MultipartForm.Part", { [MultipartForm.Part.text(name: $0, $0)] }),
    (
      "SignInError",
      { [SignInError.reservedParameter($0), SignInError.invalidURL(name: $0, reason: $0)] }
    ),
    ("SignInRefusal", { [SignInError.refused(SignInRefusal(code: $0, explanation: $0))] }),
    ("OAuthClient", { [client($0)] }),
    ("JSONRefreshGrant", { [JSONRefreshGrant(baseURL: "http://h", endpoint: $0)] }),
    (
      "PasswordGrant",
      {
        [PasswordGrant(client("a"), username: $0, password: "")]
      }
    ),
    ("log and picture", { try pictures($0) }),
    ("HAR", { try har($0) }),
    ("stub report", { [try await report($0)] }),
    (
      "RecordingError",
      {
        [
          RecordingError.missing(path: $0), RecordingError.unreadable(path: $0, reason: $0),
          RecordingError.invalid(path: $0, reason: HARError(path: "log", expectation: "JSON")),
          RecordingError.invalidMode($0),
        ]
      }
    ),
    (
      "FixtureError",
      { text in
        do {
          return [try Result<Data, any Error>.file(URL(fileURLWithPath: "/none/\(text)")).get()]
        } catch { return [error] }
      }
    ),
    (
      "curl command",
      {
        var request = URLRequest(url: try url())
        request.setValue($0, forHTTPHeaderField: "X")
        request.httpBody = Data($0.utf8)
        return [request.curlCommand(redaction: .none)]
      }
    ),
  ]

  private static func url(_ text: String = "http://h.example/a") throws -> URL {
    try #require(URL(string: text))
  }

  private static func client(_ id: String) -> OAuthClient {
    OAuthClient(tokenEndpoint: "http://h/t", id: id, authentication: .none)
  }

  private static func escaped(_ text: String) -> String {
    text.utf8.map { "%" + String($0, radix: 16) }.joined()
  }

  private static func pictures(_ text: String) throws -> [Any] {
    let call = LogicalCall(clock: TestScheduler())
    call.journal.record(.built(RequestSummary(method: HTTPMethod(text), url: try url())))
    call.journal.record(.sent(attempt: 1, cause: .first))
    call.journal.record(.waiting(.seconds(1), because: text, budget: nil))
    call.journal.record(.cache(text, answersCall: true))
    call.journal.record(.failed(text))
    let log = call.journal.log
    let picture = CallPicture([log, log], title: text)
    return [log, picture, picture.svg, picture.html] + log.events.map { $0 as Any }
  }

  private static func har(_ text: String) throws -> [Any] {
    var request = URLRequest(url: try url("http://h.example/?a=\(text)"))
    request.setValue(text, forHTTPHeaderField: "X")
    let head = ResponseHead(url: try url(), statusCode: 200, headers: ["X-\(text)": text])
    let body = HARBody(Data(text.utf8))
    let recording = HARRecording(
      request: request, requestBody: body, start: Date(timeIntervalSince1970: 0),
      outcome: .response(head, body: body), duration: .zero, metrics: nil)
    let har = HAR(entries: [try #require(HAREntry(recording, redaction: .none))])
    let file = String(decoding: har.data, as: UTF8.self)
    // It means the same.
    #expect(try HAR(Data(file.utf8)).entries.first?.responseBody == Data(text.utf8))
    return [har, har.entries, file, HARReplayError.unused(har.entries)]
  }

  private static func report(_ text: String) async throws -> Any {
    let stubs = StubTransport(
      StubAPIResponse(
        request: StubRequest(.post, path: "/\(text)").header("X", text).header("X\(text)", "1")
          .jsonBody("{\"\(text)\": \"\(text)\"}"), result: .json("")))
    var request = URLRequest(url: try url())
    request.httpMethod = "POST"
    request.setValue("1" + text, forHTTPHeaderField: "X")
    request.httpBody = Data("{\"\(text)1\": \"1\(text)\"}".utf8)
    do {
      return try await stubs.response(for: request).value
    } catch { return error }
  }

  @Test(
    "Each text that is printed has escapes in their place", arguments: printed.map(\.0))
  func texts(name: String) async throws {
    let make = try #require(Self.printed.first { $0.0 == name }).1
    for character in Self.characters {
      let values = try await make("a\(character)b")
      try #require(!values.isEmpty)
      for value in values {
        let text = "\(value)"
        #expect(!text.unicodeScalars.contains { character.unicodeScalars.contains($0) }, "\(text)")
      }
    }
  }

  @Test("A printable text has one line, and other letters as they are")
  func printable() {
    #expect("a b~é天😀\u{200D}".printable == "a b~é天😀\u{200D}")
    #expect("\u{1}\n\t\u{7F}\u{9B}\u{202E}x".printable == #"\u{01}\n\t\u{7F}\u{009B}\u{202E}x"#)
    #expect(#"{"é": "\#u{61C}\#u{2069}"}"#.printableJSON == #"{"é": "\u061C\u2069"}"#)
  }
}
