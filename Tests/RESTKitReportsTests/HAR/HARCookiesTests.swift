import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import Testing

@testable import RESTKit
@testable import RESTKitReports

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("ST-11: cookies in HAR 1.2")
struct HARCookiesTests {
  /// The first second of 2026, when the recorder of the fixtures records.
  private static let date = Date(timeIntervalSince1970: 1_767_225_600)

  private func received(_ field: String, _ redaction: Redaction = .none) -> JSONValue {
    HARCookies(redaction: redaction)
      .received(HTTPHeaders([(name: "set-cookie", value: field)]), at: Self.date)
  }

  @Test(
    "Sent and set cookies are recorded as valid HAR",
    arguments: [Redaction.none, .byName, .strict])
  func recording(redaction: Redaction) async throws {
    let url = "https://api.example.com/v1/a"
    let headers = HTTPHeaders([
      (name: "Set-Cookie", value: "id=canary-1; Path=/v1; HttpOnly"),
      (name: "Set-Cookie", value: "theme=canary-2; Domain=example.com; Secure"),
    ])
    let stubs = StubTransport(
      StubAPIResponse(request: .init(.get, urlString: url), headers: headers))
    let recorder = HARFixtures.recorder(stubs, redaction: redaction)
    let api = TestAPI(transport: recorder)
    _ = try await api.get(endpoint: "a") { request in
      var request = request
      request.setValue("id=canary-3; a=canary=4", forHTTPHeaderField: "Cookie")
      return request
    }.value
    let data = recorder.har.data
    #expect(try HARFixtures.violations(data) == [])
    let entry = try #require(try HARFixtures.json(data)["log"]?["entries"]?.array?.first)
    func value(_ text: String) -> JSONValue { redaction == .none ? .string(text) : "<redacted>" }
    #expect(
      entry["request"]?["cookies"] == [
        ["name": "id", "value": value("canary-3")], ["name": "a", "value": value("canary=4")],
      ])
    #expect(
      entry["response"]?["cookies"] == [
        [
          "name": "id", "value": value("canary-1"), "path": "/v1", "httpOnly": .bool(true),
          "secure": .bool(false),
        ],
        [
          "name": "theme", "value": value("canary-2"), "domain": "example.com",
          "httpOnly": .bool(false), "secure": .bool(true),
        ],
      ])
    #expect(String(decoding: data, as: UTF8.self).contains("canary") == (redaction == .none))
  }

  @Test(
    "A cookie's end is a date; Max-Age comes before Expires, and is capped at 400 days",
    arguments: [
      ("a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT", "2026-10-21T07:28:00.000Z"),
      ("a=1; max-age=60; expires=Wed, 21 Oct 2026 07:28:00 GMT", "2026-01-01T00:01:00.000Z"),
      ("a=1; Max-Age=-5", "2026-01-01T00:00:00.000Z"),
      ("a=1; Max-Age=9223372036854775807", "2027-02-05T00:00:00.000Z"),
      ("a=1; Max-Age=soon; Expires=tomorrow", nil),
      ("a=1", nil),
    ])
  func end(field: String, expected: String?) {
    #expect(received(field).array?.first?["expires"]?.string == expected)
  }

  @Test("A cookie without a name is a value, and is hidden like one")
  func nameless() {
    for (redaction, value) in [
      (Redaction.none, "canary"), (.byName, "<redacted>"), (.strict, "<redacted>"),
    ] {
      let cookies = HARCookies(redaction: redaction)
      #expect(cookies.sent(" canary ") == [["name": "", "value": .string(value)]])
      #expect(received("canary", redaction).array?.first?["value"]?.string == value)
    }
    #expect(HARCookies(redaction: .none).sent(nil) == [])
    #expect(HARCookies(redaction: .none).sent("") == [])
    #expect(received("").array?.count == 1)
  }
}
