import Fixtures
import Foundation
import IdentityKit
import RESTKit
import RESTKitTesting
import Streams
import Testing

@testable import RESTKit
@testable import RESTKitReports

@Suite("ST-11: replaying recorded traffic")
struct HARReplayTests {
  @Test(
    "401, refresh and 200 are replayed, even with hidden secrets",
    arguments: [Redaction.strict, .byName, .none])
  func refresh(redaction: Redaction) async throws {
    let recorder = HARFixtures.recorder(HARFixtures.refreshedProfile(), redaction: redaction)
    let recorded = try? await HARFixtures.service(recorder).fetchProfile.value.get()
    #expect(recorder.har.entries.count == 3)

    let replay = HARReplay(try HAR(recorder.har.data))
    let result = try await HARFixtures.service(replay).fetchProfile.value
    try replay.verify()
    #expect(replay.unusedEntries.isEmpty)
    // A hidden date is no date: a profile has one.
    if redaction != .strict { #expect(try result.get() == recorded) }
  }

  @Test("The first matching entry answers, once; hidden query values match any value")
  func consumption() async throws {
    let har = try HAR(HARFixtures.golden("browser.har"))
    let replay = HARReplay(har)
    let api = TestAPI(baseURL: "https://shop.example", transport: replay)
    let query: QueryItems = ["page": "1", "token": "any"]
    #expect(try await api.get(endpoint: "items", query: query).value.statusCode == 503)
    let second = try await api.get(endpoint: "items", query: query).value
    #expect(second.statusCode == 200)
    #expect(second.data == Data(#"[{"id":1}]"#.utf8))
    #expect(second.headers.values(for: "set-cookie").count == 2)
    await #expect(throws: HARReplayError.self) {
      try await api.get(endpoint: "items", query: query).value
    }
    #expect(throws: HARReplayError.self) { try replay.verify() }
  }

  @Test("Unused entries and unmatched requests are reported without their secrets")
  func verification() async throws {
    let replay = HARReplay(try HAR(HARFixtures.golden("browser.har")))
    let unused = try #require(throws: HARReplayError.self) { try replay.verify() }
    #expect(
      unused.description == """
        No request came for:
          GET https://shop.example/items → 503
          GET https://shop.example/items → 200
          GET https://shop.example/logo → 200
          POST https://shop.example/orders → failed
        Record the traffic again, or find out why these requests are not sent.
        """)
    let api = TestAPI(baseURL: "https://shop.example", transport: replay)
    let unmatched = await #expect(throws: HARReplayError.self) {
      try await api.get(endpoint: "items", query: ["page": "canary"]).value
    }
    #expect(unmatched?.description.hasPrefix("No recorded response is left for GET") == true)
    #expect(unmatched?.description.contains("canary") == false)
  }

  @Test("A recorded failure fails again, and base64 is decoded")
  func failure() async throws {
    let replay = HARReplay(try HAR(HARFixtures.golden("browser.har")))
    let api = TestAPI(baseURL: "https://shop.example", transport: replay)
    let error = await #expect(throws: RESTError.self) {
      try await api.post(endpoint: "orders", body: nil).value
    }
    #expect(error?.kind == .transport(.other(code: 0)))
    #expect(try await api.get(endpoint: "logo").value.data == Data([0x89, 0x50, 0x4E, 0x47]))
  }

  private static let kinds: [TransportError.Kind] = [
    .connectionRefused, .timedOut, .connectionReset, .hostNotFound, .malformedResponse,
    .tlsFailed(.certificateExpired), .limitExceeded(.bodyBytes), .other(code: 52),
    .invalidRequest,
  ]

  @Test("A failure that RESTKit recorded has the same kind again", arguments: kinds)
  func fault(kind: TransportError.Kind) async throws {
    let fault = TransportError(
      kind: kind, detail: "as the engine says", mayHaveBeenProcessed: false, statusCode: 200)
    let url = "https://shop.example/orders"
    let summary = RequestSummary(method: .post, url: URL(string: url))
    let stubs = StubTransport(
      StubAPIResponse(
        request: .init(.post, urlString: url), result: .failure(RESTError(fault, request: summary)))
    )
    let recorder = HARFixtures.recorder(stubs)
    let recorded = await #expect(throws: RESTError.self) {
      try await TestAPI(baseURL: "https://shop.example", transport: recorder)
        .post(endpoint: "orders", body: nil).value
    }
    #expect(try HARFixtures.violations(recorder.har.data) == [])
    let replay = HARReplay(try HAR(recorder.har.data))
    let replayed = await #expect(throws: RESTError.self) {
      try await TestAPI(baseURL: "https://shop.example", transport: replay)
        .post(endpoint: "orders", body: nil).value
    }
    #expect(replayed?.kind == recorded?.kind)
    #expect(replayed?.reason == recorded?.reason)
    #expect(replayed?.underlyingError as? TransportError == fault)
  }

  @Test("Each kind has its own name, and the name is read back")
  func names() {
    let kinds =
      [
        .unsupportedURL, .invalidRequest, .hostNotFound, .connectionRefused, .connectFailed,
        .connectionClosedBeforeResponse, .connectionReset, .bodyCut, .malformedResponse,
        .undecodableBody, .timedOut, .sendFailed, .engineUnavailable, .invalidOptions,
        .limitExceeded(.headerBytes), .limitExceeded(.headerCount), .limitExceeded(.bodyBytes),
        .limitExceeded(.errorBodyBytes), .limitExceeded(.expansionRatio), .other(code: -7),
      ] + TransportError.TLSReason.allCases.map(TransportError.Kind.tlsFailed)
    #expect(Set(kinds.map(\.harName)).count == kinds.count)
    for kind in kinds { #expect(TransportError.Kind(harName: kind.harName) == kind) }
    #expect(TransportError.Kind.tlsFailed(.wrongHost).harName == "tlsFailed.wrongHost")
    for name in ["", "other.", "other.x", "tlsFailed", "someday"] {
      #expect(TransportError.Kind(harName: name) == nil)
    }
  }

  @Test("A recorded failure that has only a kind may have been processed")
  func barely() throws {
    let fault = try #require(HARFault(["kind": "timedOut"])).fault
    #expect(fault == TransportError(kind: .timedOut, mayHaveBeenProcessed: true))
  }

  @Test(
    "A foreign _fault field is kept, and a failure of an unknown kind stays a failure",
    arguments: [#""net""#, "{}", #"{"kind": "someday"}"#])
  func foreignFault(field: String) async throws {
    let data = try HARFixtures.golden("browser.har")
    let text = String(decoding: data, as: UTF8.self)
      .replacing("\"_error\"", with: "\"_fault\": \(field), \"_error\"")
    let har = try HAR(Data(text.utf8))
    #expect(String(decoding: har.data, as: UTF8.self).contains("_fault"))
    let api = TestAPI(baseURL: "https://shop.example", transport: HARReplay(har))
    let error = await #expect(throws: RESTError.self) {
      try await api.post(endpoint: "orders", body: nil).value
    }
    #expect(error?.kind == .transport(.other(code: 0)))
  }
}
