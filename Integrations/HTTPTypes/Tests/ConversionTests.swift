import Foundation
import HTTPTypes
import RESTKit
import RESTKitHTTPTypes
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Conversion between messages of swift-http-types and of RESTKit")
struct ConversionTests {
  private func name(_ text: String) throws -> HTTPField.Name {
    try #require(HTTPField.Name(text))
  }

  private func field(_ name: String, _ value: String) throws -> HTTPField {
    HTTPField(name: try self.name(name), value: value)
  }

  private func request(
    _ method: HTTPRequest.Method = .get, scheme: String? = "https",
    authority: String? = "example.com:8443", path: String? = "/a%20b?q=1&q=2",
    fields: HTTPFields = [:]
  ) -> HTTPRequest {
    HTTPRequest(
      method: method, scheme: scheme, authority: authority, path: path, headerFields: fields)
  }

  private func urlRequest(_ url: String, _ method: String = "GET") throws -> URLRequest {
    var request = URLRequest(url: try #require(URL(string: url)))
    request.httpMethod = method
    return request
  }

  // MARK: Requests to ours

  @Test("A request keeps its method, its target and its fields")
  func toURLRequest() throws {
    let converted = try URLRequest(
      request(.post, fields: [try name("X-One"): "1", .accept: "text/html"]))
    #expect(converted.httpMethod == "POST")
    #expect(converted.url?.absoluteString == "https://example.com:8443/a%20b?q=1&q=2")
    #expect(converted.allHTTPHeaderFields == ["X-One": "1", "Accept": "text/html"])
  }

  @Test(
    "Any target of a URL arrives unchanged",
    arguments: [
      "/", "/a//b", "//other.example/", "/a/../b", "/?", "/?a=%2F?/", "/%C3%A9", "/a;b=c,d@e:f",
    ])
  func targets(path: String) throws {
    let converted = try URLRequest(request(path: path))
    #expect(converted.url?.absoluteString == "https://example.com:8443" + path)
    #expect(try HTTPRequest(converted).path == path)
  }

  @Test(
    "Lines with one name are joined in order",
    arguments: [
      ("Accept", ["text/html", "application/json"], "text/html, application/json"),
      ("X-Own", ["b", "", "a"], "b, , a"), ("Cookie", ["a=1", "b=2"], "a=1; b=2"),
    ])
  func duplicates(name: String, values: [String], joined: String) throws {
    var fields = HTTPFields()
    for (index, value) in values.enumerated() {
      fields.append(try field(index == 0 ? name : name.lowercased(), value))
      fields.append(try field("X-Between-\(index)", "-"))
    }
    let converted = try URLRequest(request(fields: fields))
    #expect(converted.allHTTPHeaderFields?[name] == joined)
    #expect(converted.allHTTPHeaderFields?.count == 1 + values.count)
  }

  @Test("A Host field that equals the authority is omitted")
  func host() throws {
    let converted = try URLRequest(request(fields: [try name("host"): "EXAMPLE.com:8443"]))
    #expect(converted.allHTTPHeaderFields ?? [:] == [:])
  }

  @Test("A request that a URL request cannot express is refused with a reason and no secret")
  func refusedRequests() throws {
    var tunnel = request(.connect)
    tunnel.extendedConnectProtocol = "websocket"
    let twoTokens = HTTPFields([
      try field("Authorization", "Bearer s3cret1"), try field("authorization", "Bearer s3cret2"),
    ])
    let lowercase = try #require(HTTPRequest.Method("get"))
    let cases: [(HTTPRequest, HTTPTypesError.Part, String)] = [
      (tunnel, .extendedConnectProtocol, "WebSockets"),
      (request(.connect, path: nil), .method, "CONNECT"),
      (request(lowercase), .method, "write GET if you mean that method"),
      (request(scheme: nil), .scheme, "http"),
      (request(scheme: "ftp"), .scheme, "http"),
      (request(authority: nil), .authority, "missing"),
      (request(authority: ""), .authority, "missing"),
      (request(authority: "u:s3cret@example.com"), .authority, "user info"),
      (request(authority: "example.com/s3cret"), .authority, "port"),
      (request(authority: "exämple.com"), .authority, "ASCII"),
      (request(authority: "example.com:s3cret"), .url, "port"),
      (request(authority: ":80"), .url, "host"),
      (request(path: nil), .path, "slash"),
      (request(path: ""), .path, "slash"),
      (request(.options, path: "*"), .path, "*"),
      (request(path: "https://example.com/s3cret"), .path, "slash"),
      (request(path: "/a#s3cret"), .path, "fragment"),
      (request(path: "/a b?s3cret"), .path, "Percent-encode"),
      (request(path: "/a\\b"), .path, "Percent-encode"),
      (request(path: "/a\"b"), .url, "percent-encode"),
      (request(fields: twoTokens), .field(name: "Authorization"), "more than once"),
      (request(fields: [try name("Host"): "s3cret.example"]), .field(name: "Host"), "authority"),
    ]
    for (request, part, word) in cases {
      let error = #expect(throws: HTTPTypesError.self) { try URLRequest(request) }
      #expect(error?.part == part, "\(request.path ?? "")")
      #expect(error?.description.contains(word) == true, "\(error?.description ?? "")")
      #expect(error?.description.contains("s3cret") == false)
    }
  }

  @Test(
    "A repeated field that is not a list is refused",
    arguments: ["Content-Type", "User-Agent", "Range", "If-Range", "Content-Length", "Referer"])
  func singletons(name: String) throws {
    let fields = HTTPFields([try field(name, "a"), try field(name, "b")])
    let error = #expect(throws: HTTPTypesError.self) { try URLRequest(request(fields: fields)) }
    #expect(error?.part == .field(name: name))
  }

  // MARK: Requests from ours

  @Test("A RESTKit request keeps its method and target, and its fields in the order of their names")
  func toHTTPRequest() throws {
    var request = try urlRequest("http://example.com?q=1#part", "QUERY")
    request.setValue("2", forHTTPHeaderField: "X-B")
    request.setValue(" 1\t", forHTTPHeaderField: "X-A")
    let converted = try HTTPRequest(request)
    #expect(converted.method.rawValue == "QUERY" && converted.scheme == "http")
    #expect(converted.authority == "example.com" && converted.path == "/?q=1")
    #expect(converted.headerFields.map(\.name.rawName) == ["X-A", "X-B"])
    #expect(converted.headerFields.map(\.value) == ["1", "2"])
  }

  @Test("An invalid HTTP request is refused with the part's name and no secret")
  func refusedURLRequests() throws {
    func with(_ name: String, _ value: String) throws -> URLRequest {
      var request = try urlRequest("http://example.com/")
      request.allHTTPHeaderFields = [name: value]
      return request
    }
    var spellings = try urlRequest("http://example.com/")
    spellings.allHTTPHeaderFields = ["X-A": "s3cret", "x-a": "s3cret"]
    var noURL = try urlRequest("http://example.com/")
    noURL.url = nil
    let cases: [(URLRequest, HTTPTypesError.Part)] = [
      (try urlRequest("http://example.com/", "A B"), .method),
      (noURL, .url),
      (try urlRequest("/a?s3cret"), .url),
      (try urlRequest("file:///s3cret"), .url),
      (try urlRequest("http://u:s3cret@example.com/"), .url),
      (try with("X-A: s3cret", "1"), .field(name: "X-A…")),
      (try with("X-A", "s3cret\r\nX-B: 1"), .field(name: "X-A")),
    ]
    for (request, part) in cases {
      let error = #expect(throws: HTTPTypesError.self) { try HTTPRequest(request) }
      #expect(error?.part == part)
      #expect(error?.description.contains("s3cret") == false)
    }
    // Foundation may keep one of two spellings only.
    if spellings.allHTTPHeaderFields?.count == 2 {
      let error = #expect(throws: HTTPTypesError.self) { try HTTPRequest(spellings) }
      #expect(error?.reason == "is present in two spellings")
    }
  }

  // MARK: Responses

  @Test("A response keeps its status and its field lines in order, in both directions")
  func responses() throws {
    let lines: HTTPHeaders = [
      "Set-Cookie": "a=1", "X-A": "1", "set-cookie": "b=2; Expires=Wed, 01 Jan 2031 00:00:00 GMT",
      "X-Empty": "", "x-a": "2",
    ]
    let url = try #require(URL(string: "https://example.com/"))
    let converted = try HTTPResponse(ResponseHead(url: url, statusCode: 299, headers: lines))
    #expect(converted.status.code == 299)
    #expect(converted.headerFields.map(\.name.rawName) == lines.map(\.name))
    #expect(converted.headerFields.map(\.value) == lines.map(\.value))
    let back = ResponseHead(converted, url: url, httpVersion: "HTTP/2")
    #expect(back.statusCode == 299 && back.url == url && back.httpVersion == "HTTP/2")
    #expect(back.headers.map(\.name) == lines.map(\.name))
    #expect(back.headers.map(\.value) == lines.map(\.value))
  }

  @Test("A value is read as UTF-8, or as ISO 8859-1 if it is not valid UTF-8")
  func values() throws {
    let latin = HTTPField(name: try name("X-A"), value: [0x67, 0x72, 0xFC, 0x6E])
    let utf8 = HTTPField(name: try name("X-B"), value: Array("grün".utf8))
    let headers = HTTPHeaders(HTTPFields([latin, utf8]))
    #expect(headers.map(\.value) == ["grün", "grün"])
  }

  @Test("A status without three digits is refused", arguments: [0, 99, 1_000, -1])
  func statuses(code: Int) throws {
    let head = ResponseHead(url: URL(fileURLWithPath: "/"), statusCode: code)
    let error = #expect(throws: HTTPTypesError.self) { try HTTPResponse(head) }
    #expect(error?.part == .status)
  }

  @Test("A whole response names its request")
  func wholeResponse() throws {
    let request = try urlRequest("https://example.com/a?secret", "POST")
    let response = RESTResponse(HTTPResponse(status: .created), data: Data("a".utf8), to: request)
    #expect(response.statusCode == 201 && response.data == Data("a".utf8))
    #expect(response.url == request.url)
    #expect(response.request.description == "POST https://example.com/a")
  }
}
