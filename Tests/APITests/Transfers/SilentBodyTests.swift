import Fixtures
import Foundation
import RESTKitReports
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

@testable import HTTPTransport
@testable import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("A request's body that stays silent is silence", .timeLimit(.minutes(10)))
struct SilentBodyTests {
  enum Way: CaseIterable, Sendable {
    #if os(Linux)
      case curl
    #endif
    case urlSession, stub, socket, closure, replay

    func make() throws -> any Transport {
      let script = StubAPIResponse(request: StubRequest(.post)).optional()
      return switch self {
      #if os(Linux)
        case .curl: try CurlTransport()
      #endif
      case .urlSession: URLSessionTransport()
      case .stub: StubTransport(script)
      case .socket: try StubTransport(script, over: TransportKind.urlSession.make())
      case .closure:
        ClosureTransport { _ in throw TestFailure(name: "the body came to its end") }
      case .replay: HARReplay(HAR(entries: []))
      }
    }
  }

  /// A body without an end, with the chunks before its silence.
  private func body(_ chunks: Int) -> RequestBody {
    .chunks(
      Array(repeating: Data("a".utf8), count: chunks).publisher
        .setFailureType(to: (any Error).self).append(
          Empty<Data, any Error>(completeImmediately: false)),
      isReplayable: true)
  }

  @Test("It ends events, the whole response and an upload", arguments: Way.allCases, [0, 1])
  func silent(way: Way, chunks: Int) async throws {
    let server = try MockServer { _ in .text("ok") }
    defer { server.stop() }
    let api = TestAPI(baseURL: server.baseURL, transport: try way.make())
    let modifier: RequestModifier = { request in
      var request = request
      request.timeoutInterval = 0.2
      return request
    }
    let events = try await restError(
      of: api.events(.post, endpoint: "a", body: body(chunks), requestModifier: modifier).last())
    let response = try await restError(
      of: api.post(endpoint: "a", body: body(chunks), requestModifier: modifier))
    let upload = try await restError(
      of: api.upload(endpoint: "a", body: body(chunks), requestModifier: modifier).last())
    for error in [events, response, upload] {
      #expect(error.isTimeout)
      #expect(error.reason.contains("body was silent for"))
    }
  }

  @Test("In virtual time, each chunk begins the time anew, and a stub's scheduler counts it")
  func virtual() throws {
    let scheduler = TestScheduler()
    let stubs = StubTransport(
      StubAPIResponse(request: StubRequest(.post)).optional(), scheduler: scheduler)
    let source = PassthroughSubject<Data, any Error>()
    let subscriber = TestSubscriber<RESTResponse, any Error>()
    TestAPI(transport: stubs).post(endpoint: "a", body: .chunks(source)) { request in
      var request = request
      request.timeoutInterval = 10
      return request
    }
    .subscribe(subscriber)
    for _ in 0..<3 {
      scheduler.advance(by: .seconds(9))
      source.send(Data("a".utf8))
    }
    scheduler.advance(by: .seconds(9))
    #expect(subscriber.failure == nil)
    scheduler.advance(by: .seconds(2))
    #expect((subscriber.failure as? RESTError)?.isTimeout == true)
    #expect(stubs.requests.isEmpty)
  }
}
