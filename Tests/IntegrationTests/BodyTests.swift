import Foundation
import RESTKit
import Streams
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension IntegrationTests {
  @Suite("Bodies")
  struct Bodies {
    struct Note: Codable, Sendable, Equatable {
      let text: String
      let count: Int
      let tags: [String]
      let ratio: Double?
    }

    @Test(
      "JSON is sent, unwrapped from the response, and decodes to the same value",
      arguments: TransportKind.allCases)
    func json(kind: TransportKind) async throws {
      let note = Note(text: "„Grüße“ \u{0} / \\ \" 😀", count: -7, tags: ["", "a b"], ratio: nil)
      let api = try HttpbinAPI(kind)
      let body = try JSONEncoder().encode(note)
      let call = api.post(endpoint: "anything", body: .data(body)) {
        $0.sendingJSON().acceptingJSON()
      }
      #expect(try await call.unwrapResultJSON(key: "json").decode(type: Note.self).value == note)
      let echo = try await call.decode(type: Echo.self).value
      #expect(echo.header("Content-Type") == "application/json")
      #expect(echo.header("Content-Length") == "\(body.count)")
    }

    @Test("the server reads a form as a form", arguments: TransportKind.allCases)
    func form(kind: TransportKind) async throws {
      let hostile = ["a b+c", "&=;%41", "é 😀", "\r\n", "~-._*", ""]
      let form =
        hostile.map { URLQueryItem(name: "a", value: $0) }
        + [URLQueryItem(name: "b & c", value: "1"), URLQueryItem(name: "empty", value: nil)]
      let echo = try await HttpbinAPI(kind).post(
        endpoint: "anything", body: .form(QueryItems(form))
      )
      .decode(type: Echo.self).value
      #expect(echo.header("Content-Type") == "application/x-www-form-urlencoded")
      #expect(
        echo.form == [
          "a": ["a b+c", "&=;%41", "é 😀", "\r\n", "~-._*", ""], "b & c": ["1"], "empty": [""],
        ])
    }

    @Test("every byte value arrives and returns", arguments: TransportKind.allCases)
    func binary(kind: TransportKind) async throws {
      let bytes = Data((0..<4_096).map { UInt8(truncatingIfNeeded: $0) })
      for method in [HTTPMethod.post, .put, .patch, .delete] {
        let echo = try await HttpbinAPI(kind).request(
          method, endpoint: "anything", body: .data(bytes)
        )
        .decode(type: Echo.self).value
        #expect(echo.body == bytes, "\(method)")
        #expect(echo.header("Content-Length") == "4096", "\(method)")
        #expect(echo.header("Transfer-Encoding") == nil, "\(method)")
      }
    }

    @Test(
      "a body of more than 1 MiB arrives whole, and so does the response that echoes it",
      arguments: TransportKind.allCases)
    func large(kind: TransportKind) async throws {
      let bytes = Data((0...(1 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
      let api = try HttpbinAPI(kind)
      let response = try await api.post(endpoint: "anything", body: .data(bytes)).value
      #expect(response.data.count > 4 * bytes.count / 3)
      #expect(response.headers["Content-Length"] == "\(response.data.count)")
      let echo = try JSONDecoder().decode(Echo.self, from: response.data)
      #expect(echo.body == bytes)
      #expect(echo.header("Expect") == nil)
    }

    @Test(
      "a GET and a DELETE without a body have no Content-Length", arguments: TransportKind.allCases)
    func noBody(kind: TransportKind) async throws {
      let api = try HttpbinAPI(kind)
      for method in [HTTPMethod.get, .delete] {
        let echo = try await api.request(method, endpoint: "anything").decode(type: Echo.self).value
        #expect(echo.data == "")
        #expect(["0", nil].contains(echo.header("Content-Length")), "\(method)")
        #expect(echo.header("Transfer-Encoding") == nil, "\(method)")
      }
    }

    @Test(
      "a POST, PUT and PATCH with an empty body or none have a Content-Length of 0",
      arguments: TransportKind.allCases, [nil, Data()])
    func emptyBody(kind: TransportKind, body: Data?) async throws {
      let api = try HttpbinAPI(kind)
      for method in [HTTPMethod.post, .put, .patch] {
        let echo = try await api.request(method, endpoint: "anything", body: body.map { .data($0) })
          .decode(type: Echo.self).value
        #expect(echo.data == "")
        // There, an empty chunked body keeps a request from being sent twice.
        if kind.isURLSessionOnLinux && method != .put {
          #expect(echo.header("Transfer-Encoding") == "chunked", "\(method)")
        } else {
          #expect(echo.header("Content-Length") == "0", "\(method)")
          #expect(echo.header("Transfer-Encoding") == nil, "\(method)")
        }
      }
    }

    @Test(
      "any number of bytes arrives, and equal seeds give equal bytes",
      arguments: TransportKind.allCases)
    func bytes(kind: TransportKind) async throws {
      let api = try HttpbinAPI(kind)
      // httpbin gives no more than 100 KiB at a time.
      for count in [0, 1, 2, 1_023, 1_024, 16_384, 65_535, 65_537, 102_400] {
        let seed: QueryItems = ["seed": "7"]
        let call = api.get(endpoint: "bytes/\(count)", query: seed)
        let response = try await call.value
        #expect(response.data.count == count)
        #expect(response.headers["Content-Length"] == "\(count)")
        #expect(try await call.value.data == response.data)
      }
    }

    @Test(
      "a body in chunks arrives as the same body in one piece", arguments: TransportKind.allCases)
    func chunks(kind: TransportKind) async throws {
      let api = try HttpbinAPI(kind)
      let seed = URLQueryItem(name: "seed", value: "11")
      let whole = try await api.get(endpoint: "bytes/20000", query: [seed]).value
      for size in [1_000, 7_777, 20_000] {
        let chunked = try await api.get(
          endpoint: "stream-bytes/20000",
          query: [seed, URLQueryItem(name: "chunk_size", value: "\(size)")]
        ).value
        #expect(chunked.data == whole.data)
        #expect(chunked.headers["Content-Length"] == nil)
      }
    }

    @Test(
      "a stream of JSON lines arrives with all its lines in order",
      arguments: TransportKind.allCases)
    func stream(kind: TransportKind) async throws {
      struct Line: Decodable {
        let id: Int
      }
      let api = try HttpbinAPI(kind)
      for count in [0, 1, 100] {
        let response = try await api.get(endpoint: "stream/\(count)").value
        let ids = try response.data.split(separator: UInt8(ascii: "\n"))
          .map { try JSONDecoder().decode(Line.self, from: $0).id }
        #expect(ids == Array(0..<count))
      }
    }

    @Test("a dripped body arrives whole, with its status", arguments: TransportKind.allCases)
    func drip(kind: TransportKind) async throws {
      let response = try await HttpbinAPI(kind).get(
        endpoint: "drip",
        query: [
          URLQueryItem(name: "numbytes", value: "20"), URLQueryItem(name: "duration", value: "0.2"),
          URLQueryItem(name: "code", value: "203"),
        ]
      ).value
      #expect(response.statusCode == 203)
      #expect(response.data == Data(repeating: UInt8(ascii: "*"), count: 20))
    }

    @Test("a range of a resource arrives with a 206", arguments: TransportKind.allCases)
    func range(kind: TransportKind) async throws {
      let response = try await HttpbinAPI(kind)
        .get(endpoint: "range/1000") { request in
          var request = request
          request.setValue("bytes=26-51", forHTTPHeaderField: "Range")
          return request
        }.value
      #expect(response.statusCode == 206)
      #expect(response.headers["Content-Range"] == "bytes 26-51/1000")
      #expect(String(data: response.data, encoding: .utf8) == "abcdefghijklmnopqrstuvwxyz")
    }

    @Test("UTF-8 text and a picture arrive byte for byte", arguments: TransportKind.allCases)
    func textAndPicture(kind: TransportKind) async throws {
      let api = try HttpbinAPI(kind)
      let text = try await api.get(endpoint: "encoding/utf8").value
      let string = try #require(String(data: text.data, encoding: .utf8))
      #expect(string.contains("∮ E⋅da = Q,  n → ∞, ∑ f(i) = ∏ g(i)"))
      #expect(text.headers["Content-Type"] == "text/html; charset=utf-8")
      let picture = try await api.get(endpoint: "image/png").value
      #expect(picture.data.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]))
      #expect(picture.headers["Content-Length"] == "\(picture.data.count)")
    }
  }
}
