import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A line of `SEC-09-answers.jsonl`: the bytes of a response, one a character, and what a caller
/// gets.
struct HostileResponse: Decodable, Sendable, CustomTestStringConvertible {
  /// The outcome on one transport.
  struct OnOne: Decodable, Sendable {
    /// Why the process does not live through it.
    let crash: String?
    /// The release of Swift whose Foundation does, where there is one.
    let mendedIn: String?
    /// How its outcome differs.
    let differs: String?
  }

  /// What to expect on Apple's systems, from documentation: nobody has seen it.
  struct OnApple: Decodable, Sendable {
    /// Why nothing says what happens: a response and a typed error are both accepted.
    let open: String?
    let status: Int?
    let body: String?
    let fault: String?
  }

  let name: String
  let method: String?
  let answer: String
  /// Whether a reset ends it and not a close.
  let reset: Bool?
  /// The response that is delivered.
  let status: Int?
  let body: String?
  let header: [String]?
  /// The fault that is reported.
  let fault: String?
  let curl: OnOne?
  /// URLSession on Linux.
  let urlSession: OnOne?
  /// URLSession on Apple's systems, if not as above.
  let apple: OnApple?

  static let all = Corpus.entries("SEC-09-answers", of: HostileResponse.self).map(\.content)

  var testDescription: String { name }

  func on(_ kind: TransportKind) -> OnOne? {
    #if canImport(FoundationNetworking)
      kind == .urlSession ? urlSession : curl
    #else
      nil
    #endif
  }

  /// The outcome that is expected here.
  var expected: (status: Int?, body: String?, fault: String?) {
    #if !canImport(FoundationNetworking)
      if let apple, apple.open == nil { return (apple.status, apple.body, apple.fault) }
    #endif
    return (status, body, fault)
  }

  /// Whether any response and any typed error are accepted here.
  var isOpen: Bool {
    #if canImport(FoundationNetworking)
      false
    #else
      apple?.open != nil
    #endif
  }

  var delivery: MockResponse.Delivery {
    let bytes = Data(answer.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
    return reset == true ? .rawThenReset(bytes) : .raw(bytes)
  }
}

@Suite("Hostile responses, on both transports", .timeLimit(.minutes(10)))
struct HostileResponseTests {
  @Test(
    "SEC-09: each response gives exactly one response or a typed error, whole and in pieces",
    arguments: TransportKind.allCases, HostileResponse.all)
  func outcome(kind: TransportKind, answer: HostileResponse) async throws {
    if let one = answer.on(kind), let reason = one.crash {
      try Foundation6.skip(reason, mendedIn: one.mendedIn)
    }
    let server = try MockServer { _ in MockResponse(status: 200, delivery: answer.delivery) }
    defer { server.stop() }
    let api = TestAPI(baseURL: server.baseURL, transport: try kind.make())
    let differs = answer.on(kind)?.differs
    let method = HTTPMethod(answer.method ?? "GET")
    let whole = try await result { try await api.request(method, endpoint: "a").value }
    let inPieces = try await result {
      let events = try await api.events(method, endpoint: "a").collect().value
      return try response(of: events, method: method)
    }
    withKnownIssue(differs.map { Comment(rawValue: $0) }, isIntermittent: true) {
      check(whole, answer)
      check(inPieces, answer)
    } when: {
      differs != nil
    }
  }

  private func result(
    _ call: () async throws -> RESTResponse
  ) async throws -> Result<RESTResponse, RESTError> {
    do {
      return .success(try await call())
    } catch {
      return .failure(try #require(error as? RESTError))
    }
  }

  /// The pieces of a response, put together; of status 0 where they have no head.
  private func response(of events: [TransferEvent], method: HTTPMethod) throws -> RESTResponse {
    var head = ResponseHead(url: try #require(URL(string: "http://h/")), statusCode: 0)
    var body = Data()
    for event in events {
      switch event {
      case .head(let first): head = first
      case .chunk(let bytes): body += bytes
      default: break
      }
    }
    return RESTResponse(
      head: head, data: body, request: RequestSummary(method: method, url: head.url))
  }

  private func check(_ result: Result<RESTResponse, RESTError>, _ answer: HostileResponse) {
    let expected = answer.expected
    let note = Unseen.note(in: "SEC-09-answers.jsonl")
    switch result {
    case .success(let response):
      if answer.isOpen { return }
      #expect(response.statusCode == expected.status, note)
      #expect(response.data == Data((expected.body ?? "").utf8), note)
      if let header = answer.header, let name = header.first {
        let value = response.headers[name]?.replacing(", ", with: ",")
        #expect(value == header.last?.replacing(", ", with: ","), note)
      }
    case .failure(let error):
      if !answer.isOpen {
        #expect(FaultName.name(of: error) == expected.fault, note ?? "\(error)")
      }
      #expect((error.underlyingError as? TransportError)?.mayHaveBeenProcessed == true)
      #expect(!error.remedy.isEmpty)
      #expect(isPlain(error.description))
    }
  }
}
