import Fixtures
import Foundation
import RESTKitTesting
import Testing

@testable import HTTPTransport
@testable import RESTKit

#if os(Linux)
  @Suite("Content codings (RFC 9110 §8.4)")
  struct EngineDecodingTests {
    private static let hello = Data("hello hello hello".utf8)

    private func result(
      _ kind: EngineKind, _ coding: String, _ body: Data, delivery: MockResponse.Delivery = .whole,
      headers: HTTPHeaders = [:], limits: TransportLimits = TransportLimits()
    ) async throws -> Result<EngineResponse, TransportError> {
      let server = try MockServer { _ in
        MockResponse(
          status: 200, headers: [("Content-Encoding", coding)], body: body, delivery: delivery)
      }
      defer { server.stop() }
      return await (try kind.make(limits: limits)).result(
        EngineRequest(url: server.baseURL, headers: headers))
    }

    private func failure(
      _ coding: String, _ body: Data, delivery: MockResponse.Delivery = .whole
    ) async throws -> TransportError? {
      switch try await result(.curl, coding, body, delivery: delivery) {
      case .success: return nil
      case .failure(let fault):
        fault.expectTrueWord()
        return fault
      }
    }

    @Test("Each accepted coding is decoded", arguments: BodyFixtures.hellos.indices)
    func undone(index: Int) async throws {
      let (coding, bytes) = BodyFixtures.hellos[index]
      try #require(!bytes.isEmpty)
      #expect(try await result(.curl, coding, bytes).get().body == Self.hello)
      let single = bytes.map { Data([$0]) }
      let pieces = try await result(.curl, coding, Data(), delivery: .chunked(single)).get()
      #expect(pieces.body == Self.hello)
    }

    @Test("Successive gzip members are one body (RFC 1952 §2.2)")
    func members() async throws {
      let member = BodyFixtures.hellos[0].bytes
      let response = try await result(.curl, "gzip", member + member).get()
      #expect(response.body == Self.hello + Self.hello)
    }

    @Test("identity and an empty body need no decoding", arguments: EngineKind.allCases)
    func nothingToUndo(kind: EngineKind) async throws {
      #expect(try await result(kind, "identity", Self.hello).get().body == Self.hello)
      #expect(try await result(kind, "gzip", Data()).get().body.isEmpty)
    }

    @Test(
      "Compressed data that end early are a cut body, at any place",
      arguments: BodyFixtures.hellos.indices)
    func cut(index: Int) async throws {
      let (coding, bytes) = BodyFixtures.hellos[index]
      for count in 1..<bytes.count {
        let fault = try #require(
          try await failure(coding, bytes.prefix(count)), "\(count) bytes")
        #expect(fault.kind == .bodyCut, "\(count) bytes")
        #expect(fault.statusCode == 200)
        #expect(fault.mayHaveBeenProcessed)
      }
    }

    @Test("A cut is detected even if the connection's end ends the body")
    func cutAtClose() async throws {
      let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"
      let bytes = Data(head.utf8) + BodyFixtures.hellos[0].bytes
      #expect(try await failure("gzip", Data(), delivery: .raw(bytes.dropLast()))?.kind == .bodyCut)
      #expect(try await failure("gzip", Data(), delivery: .raw(bytes)) == nil)
    }

    @Test("Bytes after the end of deflated data are refused")
    func trailingBytes() async throws {
      for (coding, bytes) in BodyFixtures.hellos where coding == "deflate" {
        let fault = try await failure(coding, bytes + Data("x".utf8))
        #expect(fault?.kind == .undecodableBody, "\(coding)")
      }
    }

    /// wget 1.21 and urllib3 give `hello` for each; node 18 does so for zeros, a line feed and 1F,
    /// and fails for the others; curl 7.88 writes it, and then fails with code 23.
    @Test(
      "What follows the last gzip member is ignored, in whatever pieces it comes",
      arguments: [
        [0], Array(repeating: 0, count: 600), [0x0A], [0x0D, 0x0A], Array("garbage".utf8),
        [0x1F, 0], [0x1F, 0x1F, 0x8B], [0x0A, 0x1F, 0x8B, 8, 0],
      ] as [[UInt8]])
    func trailing(bytes: [UInt8]) async throws {
      let member = BodyFixtures.hellos[0].bytes
      for members in [member, member + member] {
        let expected = try await result(.curl, "gzip", members).get().body
        let whole = members + Data(bytes)
        #expect(try await result(.curl, "gzip", whole).get().body == expected)
        let pieces = [members] + bytes.map { Data([$0]) }
        #expect(
          try await result(.curl, "gzip", Data(), delivery: .chunked(pieces)).get().body
            == expected)
      }
    }

    @Test("A further member is read in whatever pieces it comes, and is an error if it is broken")
    func furtherMember() async throws {
      let member = BodyFixtures.hellos[0].bytes
      let expected = try await result(.curl, "gzip", member + member).get().body
      let single = (member + member).map { Data([$0]) }
      #expect(
        try await result(.curl, "gzip", Data(), delivery: .chunked(single)).get().body == expected)
      for broken in [[0x1F, 0x8B, 0xFF, 0xFF], Array(member.prefix(4)) + [0xFF, 0xFF]] as [[UInt8]]
      {
        let fault = try await failure("gzip", member + Data(broken))
        #expect(fault?.kind == .undecodableBody || fault?.kind == .bodyCut)
      }
      #expect(try await failure("gzip", member + member.prefix(5))?.kind == .bodyCut)
    }

    @Test("Bytes without an end behind a member are an error")
    func endlessTrailing() async throws {
      let fault = try await failure(
        "gzip", BodyFixtures.hellos[0].bytes + Data(count: InflationBudget.silentBytes + 1))
      #expect(fault?.kind == .undecodableBody)
    }

    @Test("A wrong checksum is an error")
    func checksum() async throws {
      var bytes = BodyFixtures.hellos[0].bytes
      bytes[bytes.endIndex - 6] ^= 1
      #expect(try await failure("gzip", bytes)?.kind == .undecodableBody)
    }

    @Test(
      "An unrequested coding is refused before the body is read",
      arguments: ["br", "zstd", "gzip, br", "gzip, gzip, gzip, gzip"])
    func notAskedFor(coding: String) async throws {
      let fault = try #require(try await failure(coding, Self.hello))
      #expect(fault.kind == .undecodableBody)
      #expect(fault.statusCode == 200)
    }

    @Test(
      "With an Accept-Encoding of its own, or by a limit, a request gets an unknown coding as it is",
      arguments: ["br", "zstd", "utf-8", "none", "aws-chunked", "gzip, br", "br, gzip, gzip, x"])
    func asItIs(coding: String) async throws {
      var limits = TransportLimits()
      limits.keepsUnknownCodings = true
      let ways: [(HTTPHeaders, TransportLimits)] = [
        (["accept-encoding": "identity"], TransportLimits()), (["Accept-Encoding": "br"], limits),
        ([:], limits),
      ]
      for (headers, limits) in ways {
        let responses = [
          try await result(.curl, coding, Self.hello, headers: headers, limits: limits).get(),
          try await result(
            .curl, coding, Data(), delivery: .chunked([Self.hello]), headers: headers,
            limits: limits
          ).get(),
        ]
        for response in responses {
          #expect(response.body == Self.hello)
          #expect(response.headers["Content-Encoding"] == coding)
        }
        // An empty body that ends with the connection is not one that was cut.
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\n\r\n"
        let empty = try await result(
          .curl, coding, Data(), delivery: .raw(Data(head.utf8)), headers: headers, limits: limits)
        #expect(try empty.get().body.isEmpty)
      }
    }

    @Test("A coding that is known is decoded for these requests, too")
    func knownForAll() async throws {
      var limits = TransportLimits()
      limits.keepsUnknownCodings = true
      for (coding, bytes) in BodyFixtures.hellos {
        let response = try await result(
          .curl, coding, bytes, headers: ["Accept-Encoding": "identity"], limits: limits
        ).get()
        #expect(response.body == Self.hello)
      }
      let broken = try await result(
        .curl, "gzip", Self.hello, headers: ["Accept-Encoding": "gzip"], limits: limits)
      guard case .failure(let fault) = broken else {
        Issue.record("not packed")
        return
      }
      #expect(fault.kind == .undecodableBody)
    }

    @Test("A body that stays as it is has the same limits")
    func asItIsWithinLimits() async throws {
      var limits = TransportLimits()
      limits.keepsUnknownCodings = true
      limits.bodyBytes = Self.hello.count - 1
      guard case .failure(let fault) = try await result(.curl, "br", Self.hello, limits: limits)
      else {
        Issue.record("too long")
        return
      }
      #expect(fault.kind == .limitExceeded(.bodyBytes))
    }

    @Test("A head without a body may name any coding", arguments: ["br", "made-up"])
    func codingOfNoBody(coding: String) async throws {
      let server = try MockServer { _ in
        MockResponse(status: 200, headers: [("Content-Encoding", coding)], body: Self.hello)
      }
      defer { server.stop() }
      let response = try await EngineKind.curl.make().response(
        EngineRequest(url: server.baseURL, method: "HEAD"))
      #expect(response.status == 200)
      #expect(response.headers["Content-Encoding"] == coding)
    }

    @Test("A request's own Accept-Encoding is sent unchanged", arguments: EngineKind.allCases)
    func ownAccept(kind: EngineKind) async throws {
      let server = try MockServer { _ in .text("ok") }
      defer { server.stop() }
      let engine = try kind.make()
      _ = try await engine.response(
        EngineRequest(url: server.baseURL, headers: ["accept-encoding": "identity"]))
      #expect(server.requests.first?.values(for: "Accept-Encoding") == ["identity"])
    }

    @Test("SEC-09: a bomb ends at its ratio, long before the limit on bodies")
    func bomb() async throws {
      let member = BodyFixtures.zerosMember
      try #require(member.count == 96)
      let chunks = Array(repeating: member, count: 100)
      let fault = try #require(try await failure("gzip", Data(), delivery: .chunked(chunks)))
      #expect(fault.kind == .limitExceeded(.expansionRatio))
      #expect(fault.statusCode == 200)
      #expect(
        fault.remedy == "Ask the server for less, or raise TransportLimits.expansionRatio of the "
          + "transport.")
    }

    @Test("Up to a mebibyte no body is a bomb")
    func harmless() async throws {
      let response = try await result(
        .curl, "gzip", Data(),
        delivery: .chunked(Array(repeating: BodyFixtures.zerosMember, count: 16))
      ).get()
      #expect(response.body == Data(count: 1 << 20))
    }

    @Test("A ratio may be raised")
    func raisedRatio() async throws {
      let chunks = Array(repeating: BodyFixtures.zerosMember, count: 32)
      let server = try MockServer { _ in
        MockResponse(
          status: 200, headers: [("Content-Encoding", "gzip")], delivery: .chunked(chunks))
      }
      defer { server.stop() }
      var limits = TransportLimits()
      limits.expansionRatio = 700
      let engine = try EngineKind.curl.make(limits: limits)
      let response = try await engine.response(EngineRequest(url: server.baseURL))
      #expect(response.body.count == 2 << 20)
    }
  }
#endif
