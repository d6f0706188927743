import Foundation
import RESTKit
import Testing

@testable import RESTKit
@testable import RESTKitReports

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("ST-11: the entries of HAR 1.2")
struct HAREntryTests {
  private static let url = "https://api.example.com/v1/a"

  private func json(
    _ outcome: HARRecording.Outcome, requestBody: HARBody = HARBody(Data()),
    metrics: ExchangeMetrics? = nil
  ) throws -> JSONValue {
    var request = URLRequest(url: try #require(URL(string: Self.url)))
    request.httpMethod = "PUT"
    let recording = HARRecording(
      request: request, requestBody: requestBody, start: Date(timeIntervalSince1970: 1_767_225_600),
      outcome: outcome, duration: .zero, metrics: metrics)
    return try #require(HAREntry(recording, redaction: .none)).json
  }

  private func head(_ status: Int, _ headers: HTTPHeaders = [:]) throws -> ResponseHead {
    ResponseHead(
      url: try #require(URL(string: Self.url)), statusCode: status, headers: headers)
  }

  @Test("Code reads all parts of a recorded entry: fields, bodies, times and connection")
  func parts() throws {
    var request = URLRequest(url: try #require(URL(string: Self.url + "?page=2")))
    request.httpMethod = "POST"
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    let metrics = ExchangeMetrics(
      queued: .milliseconds(1), nameLookup: .milliseconds(2), connect: .milliseconds(3),
      secureConnect: .milliseconds(4), sending: .milliseconds(5), waiting: .milliseconds(6),
      receiving: .milliseconds(7), total: .milliseconds(28), remoteAddress: "192.0.2.7:443",
      httpVersion: "HTTP/2")
    let head = try head(200, ["Content-Type": "text/plain", "X-A": "b"])
    let recording = HARRecording(
      request: request, requestBody: HARBody(Data("[1]".utf8)),
      start: Date(timeIntervalSince1970: 1_767_225_600.5),
      outcome: .response(head, body: HARBody(Data("abc".utf8))), duration: .milliseconds(28),
      metrics: metrics)
    let entry = try #require(HAREntry(recording, redaction: .none))
    #expect(entry.url.absoluteString == Self.url + "?page=2")
    #expect(entry.requestHeaders["Content-Type"] == "application/json")
    #expect(entry.requestBody == Data("[1]".utf8))
    #expect(entry.responseHeaders["X-A"] == "b")
    #expect(entry.responseBody == Data("abc".utf8))
    #expect(entry.startedAt == Date(timeIntervalSince1970: 1_767_225_600.5))
    var read = metrics
    read.remoteAddress = "192.0.2.7"
    #expect(entry.metrics == read)
  }

  @Test("What a file of another program leaves out is nil")
  func absentParts() throws {
    let json: JSONValue = [
      "startedDateTime": "2026-01-01T01:00:00+01:00", "time": "soon", "timings": ["ssl": -1],
      "request": ["method": "GET", "url": "https://a.example/", "headers": [["name": 1]]],
      "response": ["status": 0, "headers": [], "content": [:]],
    ]
    let entry = try HAREntry(json, path: "entry")
    #expect(entry.requestHeaders.isEmpty)
    #expect(entry.requestBody == nil)
    #expect(entry.startedAt == Date(timeIntervalSince1970: 1_767_225_600))
    #expect(entry.metrics == ExchangeMetrics())
    var undated = json
    undated["startedDateTime"] = nil
    #expect(try HAREntry(undated, path: "entry").startedAt == nil)
  }

  @Test("A failure has an empty response, and the reason")
  func failure() throws {
    let fault = TransportError(kind: .timedOut, detail: "slow", mayHaveBeenProcessed: true)
    let error = RESTError(fault, request: RequestSummary(method: .put, url: nil))
    let response = try json(.failure(error))["response"]
    #expect(response?["content"] == ["size": 0, "mimeType": "x-unknown"])
    #expect(response?["headersSize"] == -1)
    #expect(response?["bodySize"] == -1)
    #expect(response?["_error"] == .string(error.reason))
  }

  @Test("A response has its type, its redirect target, and its size if known")
  func answer() throws {
    let head = try head(
      302, ["Content-Type": "text/plain", "Location": "/v1/b", "Content-Encoding": "gzip"])
    let entry = try json(
      .response(head, body: HARBody(Data("abc".utf8))),
      metrics: ExchangeMetrics(httpVersion: "HTTP/2"))
    #expect(entry["request"]?["httpVersion"] == "HTTP/2")
    let response = entry["response"]
    #expect(response?["redirectURL"] == "/v1/b")
    #expect(response?["content"]?["mimeType"] == "text/plain")
    #expect(response?["content"]?["size"] == 3)
    #expect(response?["bodySize"] == -1)
  }

  @Test("An entry has the server's address if there is one; a unix socket has none")
  func serverAddress() throws {
    for (peer, address) in [
      ("192.0.2.7:443", "192.0.2.7"), ("[2001:db8::7]:443", "2001:db8::7"),
      ("unix:/run/a.sock", nil),
    ] as [(String, String?)] {
      let entry = try json(
        .response(head(200), body: HARBody(Data())), metrics: ExchangeMetrics(remoteAddress: peer))
      #expect(entry["serverIPAddress"] == address.map(JSONValue.string))
    }
  }

  @Test("An empty response has the size 0, and no text")
  func emptyResponse() throws {
    let response = try json(.response(head(204), body: HARBody(Data())))["response"]
    #expect(response?["content"]?["size"] == 0)
    #expect(response?["content"]?["text"] == nil)
    #expect(response?["bodySize"] == 0)
  }

  @Test("A posted body that cannot be shown has only its size")
  func posted() throws {
    for body in [HARBody(Data([0xFF, 0])), HARBody(unkeptOfSize: 2)] {
      let entry = try json(.response(head(200), body: HARBody(Data())), requestBody: body)
      #expect(
        entry["request"]?["postData"] == [
          "mimeType": "application/octet-stream", "text": "", "comment": "2 bytes, left out",
        ])
    }
  }

  @Test(
    "A status has up to three digits",
    arguments: [(0, true), (999, true), (1_000, false), (-1, false)])
  func statuses(status: Int, isRead: Bool) {
    let text = #"""
      {"log": {"entries": [{
        "request": {"url": "http://h/", "method": "GET"},
        "response": {"status": \#(status), "headers": [], "content": {}}
      }]}}
      """#
    let har = try? HAR(Data(text.utf8))
    #expect(har?.entries.map(\.statusCode) == (isRead ? [status] : nil))
  }

  @Test("A file has one line for each member, in the order of their names")
  func layout() throws {
    let text = String(decoding: try HAR(HARFixtures.golden("browser.har")).data, as: UTF8.self)
    #expect(text.hasPrefix("{\n"))
    #expect(text.contains("\"https://shop.example/logo\""))
    let places = try ["browser", "creator", "entries", "pages"].map { name in
      try #require(text.range(of: "\"\(name)\"")).lowerBound
    }
    #expect(places == places.sorted())
  }
}
