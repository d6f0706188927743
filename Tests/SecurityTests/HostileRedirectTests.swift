import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A line of `SEC-08-redirects.jsonl`: a response to a call of `http://localhost:{here}/v1/go`, and
/// what becomes of the call.
///
/// `{here}` and `{other}` are the ports of two servers.
struct HostileRedirect: Decodable, Sendable {
  struct OnURLSession: Decodable, Sendable {
    /// Why Foundation on Linux does not live through it; on Apple's systems it is not skipped.
    let crash: String?
    /// How it differs there.
    let differs: String?
  }

  let method: String
  let status: Int
  let location: [String]
  /// The second request: method, target and, where it keeps it, `body`.
  let follows: String?
  /// Which server gets it: `here` or `other`.
  let at: String?
  /// Whether it has the secrets of the first.
  let secrets: Bool?
  let refused: String?
  let fault: String?
  /// Other accepted outcomes, if this machine cannot reach the target.
  let mayFail: String?
  let delivered: Bool?
  let urlSession: OnURLSession?
  /// The fault on Apple's systems, if it is another one; from documentation, nobody has seen it.
  let appleFault: String?

  var expectedFault: String? {
    #if canImport(FoundationNetworking)
      fault
    #else
      appleFault ?? fault
    #endif
  }

  static let all = Corpus.entries("SEC-08-redirects", of: HostileRedirect.self)
}

@Suite("Hostile redirects, on both transports", .timeLimit(.minutes(10)))
struct HostileRedirectTests {
  private static let note = Unseen.note(in: "SEC-08-redirects.jsonl")
  private static let secrets = ["Authorization", "Cookie", "Proxy-Authorization", "X-Api-Key"]

  /// Two servers and the case that they play.
  private struct Peers {
    let here: MockServer
    let other: MockServer

    init(_ redirect: HostileRedirect) throws {
      let other = try MockServer { _ in .text("there") }
      let port = other.port
      self.other = other
      here = try MockServer { request in
        guard request.target == "/v1/go" else { return .text("here") }
        let own = request.value(for: "Host")?.split(separator: ":").last.map(String.init) ?? ""
        let fields = redirect.location.map { location in
          (
            name: "Location",
            value: location.replacing("{here}", with: own).replacing("{other}", with: "\(port)")
          )
        }
        return MockResponse(status: redirect.status, headers: fields, body: Data("moved".utf8))
      }
    }

    func filled(_ text: String) -> String {
      text.replacing("{here}", with: "\(here.port)").replacing("{other}", with: "\(other.port)")
    }

    func stop() {
      here.stop()
      other.stop()
    }
  }

  @Test(
    "SEC-08, TR-32: each redirect is followed to exactly one request, delivered or refused",
    arguments: TransportKind.allCases, HostileRedirect.all)
  func outcome(kind: TransportKind, entry: Corpus.Entry<HostileRedirect>) async throws {
    let redirect = entry.content
    if kind == .urlSession, let reason = redirect.urlSession?.crash {
      try Foundation6.skip(reason, mendedIn: nil)
    }
    let peers = try Peers(redirect)
    defer { peers.stop() }
    let sendsBody = redirect.method != "GET" && redirect.method != "HEAD"
    let api = TestAPI(
      baseURL: "http://localhost:\(peers.here.port)/v1", transport: try kind.make(),
      secretHeaders: ["X-Session"])
    let publisher = api.request(
      HTTPMethod(redirect.method), endpoint: "go", body: sendsBody ? .data(Data("body".utf8)) : nil
    ) { request in
      (Self.secrets + ["X-Session"]).reduce(request.adding("X-Own", "1")) {
        $0.adding($1, "canary")
      }
    }
    #if canImport(FoundationNetworking)
      let differs = kind == .urlSession ? redirect.urlSession?.differs : nil
    #else
      let differs: String? = nil
    #endif
    do {
      let response = try await publisher.value
      withKnownIssue {
        check(response, redirect, peers, entry.location)
      } when: {
        differs != nil
      }
    } catch let error as RESTError {
      withKnownIssue {
        check(error, redirect, peers, entry.location)
      } when: {
        differs != nil
      }
    }
  }

  private func check(
    _ response: RESTResponse, _ redirect: HostileRedirect, _ peers: Peers,
    _ location: SourceLocation
  ) {
    if redirect.delivered == true {
      #expect(response.statusCode == redirect.status, Self.note, sourceLocation: location)
      #expect(peers.here.requests.count == 1, Self.note, sourceLocation: location)
      #expect(peers.other.requests.isEmpty, Self.note, sourceLocation: location)
      return
    }
    guard let follows = redirect.follows else {
      Issue.record("a \(response.statusCode) was delivered", sourceLocation: location)
      return
    }
    let isElsewhere = redirect.at == "other"
    let second = isElsewhere ? peers.other.requests.first : peers.here.requests.dropFirst().first
    #expect(response.statusCode == 200, Self.note, sourceLocation: location)
    #expect(peers.here.requests.count == (isElsewhere ? 1 : 2), Self.note, sourceLocation: location)
    #expect(
      peers.other.requests.count == (isElsewhere ? 1 : 0), Self.note, sourceLocation: location)
    guard let second else { return }
    let body = second.body.isEmpty ? "" : " " + String(decoding: second.body, as: UTF8.self)
    #expect(
      "\(second.method) \(second.target)\(body)" == peers.filled(follows), Self.note,
      sourceLocation: location)
    for name in Self.secrets + ["X-Session"] {
      let value = second.value(for: name)
      #expect((value != nil) == redirect.secrets, "\(name)", sourceLocation: location)
    }
    #expect(second.value(for: "X-Own") == "1", Self.note, sourceLocation: location)
  }

  private func check(
    _ error: RESTError, _ redirect: HostileRedirect, _ peers: Peers, _ location: SourceLocation
  ) {
    for text in allTexts(of: error) {
      #expect(!text.contains("canary"), sourceLocation: location)
    }
    // The caller's own request, and no other, had the secrets.
    #expect(peers.other.requests.isEmpty, sourceLocation: location)
    if let fault = redirect.expectedFault {
      #expect(FaultName.name(of: error) == fault, Self.note, sourceLocation: location)
      #expect(peers.here.requests.count == 1, Self.note, sourceLocation: location)
      return
    }
    if FaultName.name(of: error) == redirect.mayFail { return }
    #expect(error.kind == .redirect, Self.note ?? "\(error)", sourceLocation: location)
    guard let refused = redirect.refused else {
      Issue.record("it was refused: \(error)", sourceLocation: location)
      return
    }
    #expect(error.reason.contains(refused), Self.note ?? "\(error)", sourceLocation: location)
    #expect(!error.remedy.isEmpty, sourceLocation: location)
    let isLoop = refused.contains("times")
    #expect(peers.here.requests.count == (isLoop ? 11 : 1), Self.note, sourceLocation: location)
  }
}
