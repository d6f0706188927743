import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Synchronization
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Sending a value as JSON", .leakFree)
struct JSONBodyTests {
  private static let url = "https://api.example.com/v1/pets"

  struct Pet: Codable, Equatable {
    var name = "Rex"
    var bornIn = 2019
  }

  /// Says what it is at the moment that it is encoded.
  private struct Ticket: Encodable, Sendable {
    let number: @Sendable () -> Int

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(number())
    }
  }

  private struct Order: Encodable, Sendable {
    var lines = [1.5, .nan]
  }

  private struct Price: Encodable, Sendable {
    func encode(to encoder: any Encoder) throws {
      throw EncodingError.invalidValue(
        -1.5, .init(codingPath: encoder.codingPath, debugDescription: "a price is not negative"))
    }
  }

  private struct Refusal: Encodable, Sendable {
    func encode(to encoder: any Encoder) throws { throw TestFailure(name: "secret") }
  }

  private func send(
    _ verb: VerbKind, _ json: some Encodable & Sendable, encoder: JSONEncoder = JSONEncoder(),
    over transport: any Transport, modifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<RESTResponse, any Error> {
    let api = TestAPI(transport: transport)
    switch verb {
    case .put:
      return api.put(
        endpoint: "pets", body: .json(json, encoder: encoder), requestModifier: modifier)
    case .patch:
      return api.patch(
        endpoint: "pets", body: .json(json, encoder: encoder), requestModifier: modifier)
    default:
      return api.post(
        endpoint: "pets", body: .json(json, encoder: encoder), requestModifier: modifier)
    }
  }

  @Test(
    "POST, PUT and PATCH send the value, with the type JSON",
    arguments: [.post, .put, .patch] as [VerbKind])
  func sends(verb: VerbKind) async throws {
    let stubs = StubTransport(verb.method, Self.url)
    _ = try await send(verb, Pet(), over: stubs).value
    let request = try #require(stubs.requests.first)
    #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/json")
    #expect(try JSONDecoder().decode(Pet.self, from: request.httpBody ?? Data()) == Pet())
  }

  @Test("Query, encoder and modifier are optional, and a query is sent")
  func defaults() async throws {
    let stubs = StubTransport(
      StubAPIResponse(request: .init(.post, urlString: Self.url))
        .thenRespondWith(request: .init(.put, urlString: Self.url + "?dry=1")))
    let api = TestAPI(transport: stubs)
    _ = try await api.post(endpoint: "pets", body: .json(["a": 1])).value
    _ = try await api.put(
      endpoint: "pets", query: [URLQueryItem(name: "dry", value: "1")], body: .json([1])
    ).value
    #expect(stubs.requests.map(\.httpBody) == [Data(#"{"a":1}"#.utf8), Data("[1]".utf8)])
  }

  @Test("The given encoder encodes the value")
  func encoder() async throws {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.outputFormatting = .sortedKeys
    let stubs = StubTransport(.patch, Self.url)
    _ = try await send(.patch, Pet(), encoder: encoder, over: stubs).value
    #expect(stubs.requests.map(\.httpBody) == [Data(#"{"born_in":2019,"name":"Rex"}"#.utf8)])
  }

  @Test("The given encoder encodes a value without a type")
  func encoderOfValue() async throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    let stubs = StubTransport(.post, "https://api.example.com/v1/f")
    _ = try await TestAPI(transport: stubs)
      .post(endpoint: "f", body: .json(["b": 1, "a": true], encoder: encoder)).value
    let text = String(decoding: stubs.requests.first?.httpBody ?? Data(), as: UTF8.self)
    #expect(text == "{\n  \"a\" : true,\n  \"b\" : 1\n}")
  }

  @Test("The modifier sees the body and its type, and may change both")
  func modifier() async throws {
    let stubs = StubTransport(.patch, Self.url)
    _ = try await send(.patch, [1], over: stubs) { request in
      #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/json")
      var request = request.settingHeader("content-type", to: "application/merge-patch+json")
      request.httpBody?.append(Data("\n".utf8))
      return request
    }.value
    let request = try #require(stubs.requests.first)
    #expect(
      request.value(forHTTPHeaderField: "Content-Type") == "application/merge-patch+json")
    #expect(request.httpBody == Data("[1]\n".utf8))
  }

  @Test("The value is encoded at subscription, anew for each subscription and attempt")
  func cold() {
    let count = Mutex(0)
    let ticket = Ticket {
      count.withLock {
        $0 += 1; return $0
      }
    }
    let scheduler = TestScheduler()
    let transport = ScriptedTransport(.status(503), .status(200), on: scheduler)
    let publisher = send(.put, ticket, over: transport)
    #expect(count.withLock { $0 } == 0)

    publisher.retry(.test(scheduler)).receive(subscriber: TestSubscriber())
    scheduler.run()
    publisher.receive(subscriber: TestSubscriber())
    scheduler.run()
    #expect(transport.requests.map(\.httpBody) == ["1", "2", "3"].map { Data($0.utf8) })
  }

  @Test(
    "A value that cannot be encoded fails before sending, with its place and the remedy",
    arguments: [.post, .put, .patch] as [VerbKind])
  func unencodable(verb: VerbKind) async throws {
    let stubs = StubTransport()
    let error = try await restError(of: send(verb, ["order": Order()], over: stubs))
    #expect(error.kind == .invalidRequest)
    #expect(error.attempts == 0)
    #expect(error.request?.method == verb.method)
    #expect(error.description.contains(#""*.lines[1]" in its body cannot be encoded"#))
    #expect(error.remedy.contains("nonConformingFloatEncodingStrategy"))
    #expect(error.underlyingError is EncodingError)
    #expect(stubs.requests.isEmpty)
  }

  @Test("Only the error for infinity and NaN mentions how to write them")
  func finiteNumber() async throws {
    let error = try await restError(of: send(.post, Price(), over: StubTransport()))
    #expect(!error.remedy.contains("nonConformingFloatEncodingStrategy"))
    #expect(error.remedy.contains("underlyingError"))
  }

  @Test("An error that the value throws is passed on, and not shown")
  func ownError() async throws {
    let stubs = StubTransport()
    let error = try await restError(of: send(.post, Refusal(), over: stubs))
    #expect(error.kind == .invalidRequest)
    #expect(error.underlyingError as? TestFailure == TestFailure(name: "secret"))
    #expect(!allTexts(of: error).contains { $0.contains("secret") })
  }

  @Test("A literal of several kinds of values is sent as it is written")
  func literal() async throws {
    let stubs = StubTransport(.post, Self.url)
    let name = "Rex"
    _ = try await TestAPI(transport: stubs).post(
      endpoint: "pets",
      body: .json(["name": .string(name), "legs": 4, "tags": ["a", true, .null]])
    ).value
    let sent = try #require(stubs.requests.first?.httpBody)
    #expect(
      try JSONDecoder().decode(JSONValue.self, from: sent)
        == ["name": "Rex", "legs": 4, "tags": ["a", true, .null]])
    #expect(stubs.requests.first?.value(forHTTPHeaderField: "Content-Type") == "application/json")
  }
}
