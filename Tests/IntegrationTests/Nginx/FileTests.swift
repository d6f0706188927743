import Foundation
import RESTKit
import Streams
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension IntegrationTests.Nginx {
  @Suite("Large bodies and ranges")
  struct Files {
    private func api(_ kind: TransportKind) throws -> PeerAPI {
      PeerAPI(try Peer.plain.text, try kind.makeTransport())
    }

    private func setting(_ fields: [String: String]) -> RequestModifier {
      { request in
        var request = request
        for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
        return request
      }
    }

    /// Byte number n of the file is n % 251.
    private func isPattern(_ data: Data, from start: Int = 0) -> Bool {
      // A byte at a time takes minutes in a debug build.
      let block = Data((0..<251).map { UInt8(($0 + start) % 251) })
      var expected = Data(capacity: data.count + block.count)
      while expected.count < data.count { expected.append(block) }
      return expected.prefix(data.count) == data
    }

    @Test("32 MiB arrive byte for byte", arguments: TransportKind.allCases)
    func large(kind: TransportKind) async throws {
      let response = try await api(kind).get(endpoint: "files/32m.bin").value
      #expect(response.data.count == 32 << 20)
      #expect(isPattern(response.data))
    }

    @Test("a limit refuses 1 GiB before it is read", arguments: TransportKind.allCases)
    func tooLarge(kind: TransportKind) async throws {
      let call = try api(kind).get(endpoint: "files/1g.bin")
      let error = await #expect(throws: RESTError.self) { try await call.value }
      #expect(error?.kind == .transport(.limitExceeded(.bodyBytes)))
    }

    @Test("a range is the requested part", arguments: TransportKind.allCases)
    func range(kind: TransportKind) async throws {
      let response = try await api(kind)
        .get(
          endpoint: "files/32m.bin", requestModifier: setting(["Range": "bytes=1000000-1099999"])
        ).value
      #expect(response.statusCode == 206)
      #expect(response.headers["Content-Range"] == "bytes 1000000-1099999/33554432")
      #expect(response.data.count == 100_000)
      #expect(isPattern(response.data, from: 1_000_000))
    }

    @Test(
      "If-Range returns the range if the file is unchanged, and else the whole file",
      arguments: TransportKind.allCases)
    func ifRange(kind: TransportKind) async throws {
      let api = try api(kind)
      let head = try await api.head(endpoint: "files/32m.bin").value
      let tag = try #require(head.headers["ETag"])
      let part = setting(["Range": "bytes=0-9", "If-Range": tag])
      #expect(
        try await api.get(endpoint: "files/32m.bin", requestModifier: part).value.statusCode == 206)
      let whole = setting(["Range": "bytes=0-9", "If-Range": "\"other\""])
      let response = try await api.get(endpoint: "files/list.json", requestModifier: whole).value
      #expect(response.statusCode == 200)
    }

    @Test("a body that nginx compresses arrives unchanged", arguments: TransportKind.allCases)
    func gzip(kind: TransportKind) async throws {
      let api = try api(kind)
      let plain = try await api.get(endpoint: "files/list.json").value
      let zipped = try await api.get(endpoint: "gzip/list.json").value
      #expect(zipped.headers["Content-Encoding"] == "gzip")
      #expect(zipped.data == plain.data)
    }

    @Test("8 MiB are sent completely", arguments: TransportKind.allCases)
    func upload(kind: TransportKind) async throws {
      struct Receipt: Decodable, Sendable {
        let method: String
        let length: String
      }
      let body = Data(repeating: 1, count: 8 << 20)
      for method in [HTTPMethod.put, .post] {
        let receipt = try await api(kind).request(method, endpoint: "upload", body: .data(body))
          .decode(type: Receipt.self).value
        #expect(receipt.length == "\(body.count)")
        #expect(receipt.method == method.rawValue)
      }
    }

    @Test("a dripped body ends at the call's timeout", arguments: TransportKind.allCases)
    func slow(kind: TransportKind) async throws {
      let call = try api(kind).get(endpoint: "slow/32m.bin") { request in
        var request = request
        request.timeoutInterval = 0.3
        return request
      }
      let error = await #expect(throws: RESTError.self) { try await call.value }
      #expect(error?.kind == .transport(.timedOut))
    }
  }
}
