import Fixtures
import Foundation
import RESTKitTesting
import Streams
import Synchronization
import Testing

@testable import HTTPTransport
@testable import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("The transport of an API that declares none", .timeLimit(.minutes(10)))
struct SharedTransportTests {
  private struct PlainAPI: RESTAPI {
    let baseURL: String
  }

  @Test("An API without its own transport uses the shared one")
  func byDefault() async throws {
    let server = try MockServer { _ in .text("ok") }
    defer { server.stop() }
    let api = PlainAPI(baseURL: server.baseURL)
    #expect(api.transport is SharedTransport)
    #expect(try await api.get(endpoint: "a").value.data == Data("ok".utf8))
  }

  @Test("The shared transport delivers a response in pieces")
  func events() async throws {
    let server = try MockServer { _ in .text("ok", status: 201) }
    defer { server.stop() }
    let url = try #require(URL(string: server.baseURL))
    var pieces: [String] = []
    for try await event in SharedTransport().events(for: URLRequest(url: url)).values {
      switch event {
      case .sent(let progress): pieces.append("sent \(progress)")
      case .head(let head): pieces.append("head \(head.statusCode)")
      case .chunk(let data): pieces.append(String(decoding: data, as: UTF8.self))
      }
    }
    #expect(pieces == ["head 201", "ok"])
  }

  @Test("If libcurl cannot be opened, URLSession takes over and logs it once")
  func fallback() {
    let lines = Mutex<[String]>([])
    let engine = SharedTransport.makeEngine(
      opening: { () throws(TransportError) in
        throw TransportError(
          kind: .engineUnavailable, detail: "libcurl.so.4: not found", mayHaveBeenProcessed: false)
      },
      log: { text in lines.withLock { $0.append(text) } })
    #expect(engine is URLSessionTransport)
    #expect(
      lines.withLock { $0 } == [
        """
        RESTKit uses URLSession instead of libcurl: The HTTP engine is not available \
        (libcurl.so.4: not found); the server did not process the request. Install libcurl 7.68 \
        or newer, and keep the transport alive while calls run.

        """
      ])
  }

  @Test("The replacement transport works")
  func fallbackWorks() async throws {
    let server = try MockServer { _ in .text("ok") }
    defer { server.stop() }
    let engine = SharedTransport.makeEngine(
      opening: { () throws(TransportError) in
        throw TransportError(kind: .engineUnavailable, mayHaveBeenProcessed: false)
      }, log: { _ in })
    let api = TestAPI(baseURL: server.baseURL, transport: engine)
    #expect(try await api.get(endpoint: "a").value.statusCode == 200)
  }

  @Test("If libcurl opens, it is used and nothing is logged")
  func firstChoice() {
    let lines = Counter()
    let engine = SharedTransport.makeEngine(
      opening: { () throws(TransportError) in StubTransport() }, log: { _ in lines.add() })
    #expect(engine is StubTransport)
    #expect(lines.value == 0)
  }
}
