import Foundation
import RESTKit
import RESTKitObservability
import Streams
import Testing
import Tracing

/// Against the service that Peer/run.sh starts, which OpenTelemetry's SDK for Python traces.
@Suite(
  "A trace continues in another process",
  .enabled(if: TracedService.environment != nil, "RESTKIT_TRACED_URL is not set: Peer/run.sh does"))
struct TraceOverTwoProcessesTests {
  private struct API: RESTAPI {
    let baseURL: String
    let transport: any Transport
    var session: TokenSession?
  }

  private struct Order: Endpoint {
    typealias Response = RESTResponse

    let id: Int
    var path: ResourcePath { "orders/\(id)" }
  }

  private let tracer = W3CTracer()

  @Test("A 401, its refresh and the repeated request are one trace across both processes")
  func refresh() async throws {
    let service = try #require(TracedService.environment)
    let transport = ObservedTransport(.shared)
    let end = transport.traceCalls(with: tracer)
    let session = TokenSession(
      grant: JSONRefreshGrant(baseURL: service.url, transport: transport),
      store: MemoryTokenStore(Credential(accessToken: "t0", refreshToken: "r0")))
    let api = API(baseURL: service.url, transport: transport, session: session)
    let checkout = tracer.startSpan("checkout", context: .topLevel)
    let response = try await ServiceContext.withValue(checkout.context) {
      try await api.send(Order(id: 7))
    }
    #expect(response.statusCode == 200)
    checkout.end()
    end.cancel()

    let trace = try #require(checkout.id?.trace)
    let served = try service.spans(of: trace)
    #expect(
      served.map { "\($0.name) \($0.status)" } == [
        "GET /orders/7 401", "POST /auth/refresh 200", "GET /orders/7 200",
      ])
    let exchanges = tracer.finished.filter { $0.kind == .client }
    #expect(
      exchanges.map(\.operationName) == ["GET /orders/{}", "POST", "GET /orders/{}"])
    #expect(served.map(\.parent) == exchanges.map { $0.id?.span })
    // Above the exchanges stand the call and, below it, the refresh.
    let calls = tracer.finished.filter { $0.kind == .internal && $0.id?.span != checkout.id?.span }
    #expect(calls.map(\.operationName) == ["POST", "GET /orders/{}"])
    #expect(calls.last?.id?.parent == checkout.id?.span)
    #expect(calls.first?.id?.parent == calls.last?.id?.span)
    #expect(
      exchanges.map { $0.id?.parent } == [
        calls.last?.id?.span, calls.first?.id?.span, calls.last?.id?.span,
      ])
    #expect(tracer.finished.allSatisfy { $0.id?.trace == trace })
  }

  @Test("A redirect to another origin begins a new trace there")
  func redirect() async throws {
    let service = try #require(TracedService.environment)
    let transport = ObservedTransport(.shared)
    let end = transport.traceCalls(with: tracer)
    let api = API(baseURL: service.url, transport: transport)
    let response = try await api.get(endpoint: "away").value
    #expect(response.statusCode == 200)
    end.cancel()
    let trace = try #require(tracer.finished.first?.id?.trace)
    #expect(try service.spans(of: trace).map(\.name) == ["GET /away"])
    let elsewhere = try service.spans.filter { $0.name == "GET /elsewhere" }
    #expect(elsewhere.map(\.parent) == [nil])
  }
}

/// The service, and the spans that it has written.
private struct TracedService {
  struct Span {
    let name: String
    let trace: String
    let parent: String?
    let status: Int
  }

  private struct Line: Decodable {
    struct Context: Decodable {
      let traceID: String

      enum CodingKeys: String, CodingKey {
        case traceID = "trace_id"
      }
    }

    struct Attributes: Decodable {
      let status: Int

      enum CodingKeys: String, CodingKey {
        case status = "http.response.status_code"
      }
    }

    let name: String
    let context: Context
    let parent: String?
    let attributes: Attributes

    enum CodingKeys: String, CodingKey {
      case name, context, attributes
      case parent = "parent_id"
    }
  }

  let url: String
  private let file: URL

  /// The service that Peer/run.sh has started.
  static let environment: TracedService? = {
    let variables = ProcessInfo.processInfo.environment
    guard let url = variables["RESTKIT_TRACED_URL"], let file = variables["RESTKIT_TRACED_SPANS"]
    else { return nil }
    return TracedService(url: url, file: URL(fileURLWithPath: file))
  }()

  /// All spans, in the order in which they ended.
  var spans: [Span] {
    get throws {
      let text = try String(contentsOf: file, encoding: .utf8)
      return try text.split(separator: "\n").map { line in
        let line = try JSONDecoder().decode(Line.self, from: Data(line.utf8))
        return Span(
          name: line.name, trace: String(line.context.traceID.dropFirst(2)),
          parent: line.parent.map { String($0.dropFirst(2)) }, status: line.attributes.status)
      }
    }
  }

  func spans(of trace: String) throws -> [Span] { try spans.filter { $0.trace == trace } }
}
