import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("The steps of Docs/Transports.md run", .leakFree)
struct TransportsInterceptionTests {
  private static let url = "https://shop.example.com/v1/orders"

  /// Stands for a MAC: it shows what it was computed over.
  private let proof = RequestProof(host: "shop.example.com") {
    String(decoding: $0, as: UTF8.self).replacing("\n", with: "|")
  }

  private func api(_ transport: any Transport) -> ShopAPI {
    ShopAPI(baseURL: "https://shop.example.com/v1", transport: transport)
  }

  @Test("A proof covers the token and the bytes, and is not sent to another host")
  func signed() async throws {
    let elsewhere = "https://other.example/orders"
    let stubs = StubTransport(
      StubAPIResponse(
        request: .init(.post, urlString: Self.url), statusCode: 307,
        headers: ["Location": elsewhere]
      ).thenRespondWith(request: .init(.post, urlString: elsewhere)))
    let transport = InterceptionExamples().makeSignedTransport(stubs, proof)
    _ = try await api(transport)
      .post(
        endpoint: "orders", headers: ["Authorization": "Bearer t"], body: .data(Data("body".utf8))
      ).value
    #expect(
      stubs.requests.map { $0.value(forHTTPHeaderField: "Signature") }
        == ["POST /v1/orders|Bearer t|body", nil])
    try stubs.verify()
  }

  @Test("A proof over a file is refused before anything is sent")
  func file() async {
    let stubs = StubTransport()
    let transport = InterceptionExamples().makeSignedTransport(stubs, proof)
    await #expect(throws: RequestProof.ProofError.bodyNotInMemory) {
      try await api(transport)
        .upload(endpoint: "orders", body: .file(URL(filePath: #filePath))).allValues
    }
    #expect(stubs.requests.isEmpty)
  }

  @Test("A proof may be awaited")
  func awaited() async throws {
    let stubs = StubTransport(StubAPIResponse(request: .init(.get, urlString: Self.url)))
    let transport = InterceptionExamples().makeProvingTransport(stubs) {
      await Task.yield()
      return "proof for \($0.url?.path() ?? "")"
    }
    _ = try await api(transport).get(endpoint: "orders").value
    #expect(stubs.requests.map { $0.value(forHTTPHeaderField: "DPoP") } == ["proof for /v1/orders"])
    try stubs.verify()
  }

  @Test("Faults and responses come without the server")
  func faulty() async throws {
    let stubs = StubTransport(StubAPIResponse(request: .init(.get, urlString: Self.url)))
    var outcomes: [String] = []
    for chance in [0.05, 0.15, 0.5] {
      let transport = InterceptionExamples().makeFaultyTransport(stubs) { chance }
      do {
        outcomes.append("\(try await api(transport).get(endpoint: "orders").value.statusCode)")
      } catch let error as RESTError {
        outcomes.append("\(error.kind)")
      }
    }
    #expect(outcomes == ["transport(HTTPWire.TransportError.Kind.connectionReset)", "503", "200"])
    try stubs.verify()
  }

  @Test("A measure has the time to the head and to the end")
  func measured() throws {
    let scheduler = TestScheduler()
    let stubs = StubTransport(
      StubAPIResponse(
        request: .init(.get, urlString: Self.url), pieces: [.after(.seconds(2), "a")],
        delay: .seconds(1)), scheduler: scheduler)
    let lines = PassthroughSubject<String, Never>()
    let seen = TestSubscriber<String, Never>()
    lines.receive(subscriber: seen)
    let transport = InterceptionExamples().makeMeasuredTransport(stubs, clock: scheduler) {
      lines.send($0)
    }
    let events = TestSubscriber<TransferEvent, any Error>()
    api(transport).events(endpoint: "orders").receive(subscriber: events)
    scheduler.run()
    #expect(
      seen.values == [
        "/v1/orders: 200 after 1.0 seconds", "/v1/orders: over after 3.0 seconds",
      ])
    lines.send(completion: .finished)
    try stubs.verify()
  }
}
