import Fixtures
import Streams

#if os(Linux)
  import Foundation
  import RESTKit
  import RESTKitTesting
  import Testing

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  /// libcurl before 8.1 (curl issue 11101) keeps the last header of a response, freed, into
  /// the next response of the same handle, where a folded line that comes first is appended to it.
  @Suite("A response that begins with a folded line", .timeLimit(.minutes(10)))
  struct FoldedLineTests {
    @Test("SEC-09: a folded first line is read or refused, also on a used handle")
    func folded() async {
      // In a process of its own: damage to the heap may end it.
      await #expect(processExitsWith: .success) {
        let server = try MockServer { request in
          let field =
            request.index.isMultiple(of: 2)
            ? "X-A: \(String(repeating: "a", count: 100 * request.index))"
            : "  X-C: \(String(repeating: "b", count: 9_000))"
          // Bytes before the final head must not distract from it.
          let interim = [
            "", "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 103 Early Hints\r\nX-D: e\r\n\r\n",
          ]
          let head =
            interim[request.index % 3]
            + "HTTP/1.1 200 OK\r\n\(field)\r\nX-B: c\r\nContent-Length: 2\r\n\r\n"
          return MockResponse(status: 200, delivery: .raw(Data((head + "ok").utf8)))
        }
        let api = TestAPI(baseURL: server.baseURL, transport: try CurlTransport())
        for number in 0..<40 {
          let response = try? await api.get(endpoint: "a").value
          #expect(response?.data == Data("ok".utf8) || !number.isMultiple(of: 2))
        }
      }
    }
  }
#endif
