import Fixtures
import Streams

#if os(Linux)
  import Foundation
  import RESTKit
  import RESTKitTesting
  import StreamsTesting
  import Synchronization
  import Testing

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  @Suite("SEC-17: whole responses", .timeLimit(.minutes(10)))
  struct ResponseFuzzTests {
    private static let pieces = [
      "\r\n", "\n", "\r", " ", ":", "HTTP/1.1 ", "200", "100", "304", "Content-Length: ",
      "Transfer-Encoding: chunked\r\n", "Content-Encoding: gzip\r\n", "Location: //[::1]/\r\n", "0",
      "5\r\n", "ffffffff", "-1", "9223372036854775807", "\0", "\u{FF}", "é", "hello", ";", ",",
    ]

    /// Inputs with a known wrong outcome, listed as such in `SEC-09-answers.jsonl`.
    private static let known = ["The URL cannot be requested (", "code 43 (", " → 0 ("]

    @Test("Each input gives a response or a typed error, in time", arguments: Fuzz.seeds)
    func answers(seed: UInt64) async throws {
      let answers = HostileResponse.all.map { $0.answer.unicodeScalars.map { UInt8($0.value) } }
      try #require(!answers.isEmpty)
      let current = Mutex(Data())
      let server = try MockServer { _ in
        MockResponse(status: 200, delivery: .raw(current.withLock { $0 }))
      }
      defer { server.stop() }
      try await Fuzz.run(seed, cases: 400) { generator, drawn in
        let bytes = generator.mutated(generator.one(of: answers), pieces: Self.pieces, 0...4)
        current.withLock { $0 = Data(bytes) }
        // Each on its own, for the reason that `FoldedLineTests` tells.
        let api = TestAPI(
          baseURL: server.baseURL, transport: try CurlTransport(), redirects: .never)
        func fail(_ text: String) {
          if Self.known.contains(where: text.contains) { return }
          drawn.fail(text)
        }
        do {
          let response = try await api.get(endpoint: "a").value
          guard 100...999 ~= response.statusCode else {
            return fail("\(response) is no response")
          }
        } catch let error as RESTError {
          // A refused response whose body cannot be read has both, its status and the fault.
          guard let kind = (error.underlyingError as? TransportError)?.kind, kind != .timedOut
          else { return fail("\(error)") }
          if case .other = kind { fail("\(error)") }
        }
      }
    }
  }
#endif
