import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Synchronization
import Testing

@testable import IdentityKit
@testable import RESTKit
@testable import RESTKitReports

@Suite("SEC-11, TR-33: no text shows a secret", .timeLimit(.minutes(10)))
struct CanaryTests {
  @Test("No text of a value of a public type shows a secret that the value holds")
  func values() throws {
    for (type, value) in try CanarySamples().values {
      for text in allTexts(of: value) where Canary.isTold(in: text) {
        Issue.record("\(type) tells it: \(text)")
      }
    }
  }

  @Test("The list has each public type of RESTKit")
  func isComplete() throws {
    let root = PackageFolder.url.appending(path: "Sources")
    let files = try [
      "HTTPWire", "HTTPTransport", "RESTKit", "RESTKitReports", "RESTKitSignIn", "IdentityKit",
    ].flatMap { module in
      try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: module).path)
        .filter { $0.hasSuffix(".swift") }
        .map { "\(module)/\($0)" }
    }
    try #require(!files.isEmpty)
    var declared: Set<String> = []
    for file in files {
      let text = try String(contentsOf: root.appending(path: file), encoding: .utf8)
      let types = text.matches(
        of: /(?m)^\s*public (?:final |indirect )*(?:struct|class|enum|actor) (\w+)/)
      declared.formUnion(types.map { String($0.1) })
    }
    #if !os(Linux)
      declared.remove("CurlTransport")
    #endif
    let listed = Set(try CanarySamples().values.map(\.type)).union(CanarySamples.exempt.keys)
    #expect(declared.subtracting(listed) == [], "Give a sample of each, or say why it needs none.")
    #expect(Set(CanarySamples.exempt.keys).subtracting(declared) == [])
  }

  @Test("The search finds a secret in every form")
  func search() {
    let secret = Canary.secret
    var dumped = ""
    dump(Array(secret.utf8), to: &dumped)
    for text in ["a\(secret)b", Data(secret.utf8).base64EncodedString(), dumped] {
      #expect(Canary.isTold(in: text))
    }
    #expect(!Canary.isTold(in: "99 97 110"))
  }

  private struct Seen {
    var texts: [String] = []
    mutating func add(_ value: some Any) { texts += allTexts(of: value) }
  }

  /// A signed-in user with secrets, and responses full of them.
  private func script(refresh status: Int) -> StubTransport {
    let headers: HTTPHeaders = [
      "Set-Cookie": "sid=\(Canary.secret)", "Content-Type": "application/problem+json",
    ]
    let problem = Result<Data, any Error>.success(CanarySamples.body)
    return StubTransport(
      StubAPIResponse(
        request: Identity.me, statusCode: 302,
        headers: ["Location": "https://id.example.com/login?token=\(Canary.secret)"]),
      StubAPIResponse(
        request: .init(
          .get, urlString: "https://id.example.com/login?token=\(Canary.secret)"),
        statusCode: 401, headers: headers, result: problem),
      StubAPIResponse(
        request: Identity.refresh, statusCode: status, headers: headers,
        result: .json(#"{"result": {"accessToken": "\#(Canary.secret)"}}"#)),
      StubAPIResponse(
        request: Identity.me, statusCode: 401, headers: headers, result: problem))
  }

  @Test("A refresh shows no secret in any record, successful or failed", arguments: [200, 400])
  func refresh(status: Int) async throws {
    let recorder = HARRecorder(script(refresh: status))
    let seen = Mutex(Seen())
    let transport = ObservedTransport(recorder) { exchange in seen.withLock { $0.add(exchange) } }
    let logs = Mutex<[CallLog]>([])
    let subscriptions = [
      transport.callEvents.sink { event in
        seen.withLock {
          $0.add(event)
          $0.add(event.attributes)
        }
      },
      transport.callLogs.sink { log in logs.withLock { $0.append(log) } },
    ]
    let identity = IdentityService(
      baseURL: Identity.baseURL, transport: transport,
      tokens: MemoryTokenStore(
        Credential(accessToken: Canary.secret, refreshToken: Canary.secret)),
      deliveringOn: .immediate)
    let error = try await identity.profileError()
    withExtendedLifetime(subscriptions) {}

    var all = seen.withLock { $0 }
    all.add(error)
    let picture = CallPicture(logs.withLock { $0 })
    all.texts += logs.withLock { $0 }.flatMap(allTexts(of:))
    all.texts += [picture.svg, picture.html, "\(picture)"]
    all.texts += [String(decoding: recorder.har.data, as: UTF8.self), "\(recorder.har)"]
    #expect(logs.withLock { $0 }.count >= 2)
    #expect(recorder.har.entries.count >= 3)
    for text in all.texts where Canary.isTold(in: text) { Issue.record("it is told: \(text)") }
  }
}
