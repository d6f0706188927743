import Streams

#if os(Linux)
  import Foundation
  import RESTKit
  import Testing

  extension IntegrationTests.Nginx {
    /// Against `Servers/refusing.py`, whose response is the number of requests for the path.
    @Suite("A stream that the server refuses (RFC 9113 §8.7)")
    struct RefusedStreams {
      private func api() throws -> PeerAPI {
        var tls = TLSOptions()
        tls.authorities = .file(try Peer.authority.file)
        return PeerAPI(try Peer.refusing.text, try CurlTransport(tls: tls))
      }

      private func post(_ api: PeerAPI, _ path: String) async throws -> String {
        let response = try await api.post(endpoint: path, body: .data(Data("once".utf8))).value
        return String(decoding: response.data, as: UTF8.self)
      }

      private func fault(_ api: PeerAPI, _ path: String) async throws -> TransportError {
        let error = try #require(
          await #expect(throws: RESTError.self) { try await post(api, path) })
        return try #require(error.underlyingError as? TransportError)
      }

      @Test(
        "RT-07: a POST whose stream is refused was not processed, and is sent once more",
        arguments: ["refuse", "goaway"], [false, true])
      func again(kind: String, isKept: Bool) async throws {
        let api = try api()
        if isKept { #expect(try await post(api, "answer/\(UUID())") == "1") }
        #expect(try await post(api, "\(kind)/\(UUID())") == "2")
      }

      @Test("RT-07: a POST that is refused each time was not processed", arguments: [false, true])
      func never(isKept: Bool) async throws {
        let api = try api()
        if isKept { #expect(try await post(api, "answer/\(UUID())") == "1") }
        #expect(try await fault(api, "refuse-always/\(UUID())").mayHaveBeenProcessed == false)
      }

      @Test(
        "RT-07: a POST that was read may have been processed, and is sent once",
        arguments: [false, true])
      func dead(isKept: Bool) async throws {
        let api = try api()
        if isKept { #expect(try await post(api, "answer/\(UUID())") == "1") }
        let path = "die/\(UUID())"
        #expect(try await fault(api, path).mayHaveBeenProcessed)
      }
    }
  }
#endif
