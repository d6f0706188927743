import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("The OpenTelemetry attributes of an exchange", .leakFree)
struct ExchangeAttributeTests {
  private struct Photo: Endpoint {
    typealias Response = RESTResponse

    let pet: Int
    let name: String
    var path: ResourcePath { "/pets/\(pet)/photos/\(name).jpg" }
  }

  private struct Place: Endpoint {
    typealias Response = RESTResponse

    let path: ResourcePath
  }

  private let transcript = Transcript()

  /// The attributes of one exchange, at its beginning.
  private func attributes(
    of call: (TestAPI) -> AnyPublisher<RESTResponse, any Error>
  ) -> [String: CallAttribute] {
    let metrics = ExchangeMetrics(remoteAddress: "192.0.2.7:443", httpVersion: "HTTP/2")
    let observed = ObservedTransport(
      AnsweringTransport { try RESTResponse(to: $0, metrics: metrics) })
    let end = observed.instrument(with: transcript)
    let subscriber = TestSubscriber<RESTResponse, any Error>()
    call(TestAPI(transport: observed)).receive(subscriber: subscriber)
    end.cancel()
    return transcript.beginnings.last?.attributes ?? [:]
  }

  @Test("Attributes have the method, the server and the URL, without secrets")
  func url() {
    let attributes = attributes { api in
      api.get(endpoint: "a", query: [URLQueryItem(name: "token", value: "canary")])
    }
    #expect(
      attributes == [
        "http.request.method": .string("GET"), "url.scheme": .string("https"),
        "server.address": .string("api.example.com"), "server.port": .integer(443),
        "url.full": .string("https://api.example.com/v1/a?token=REDACTED"),
      ])
  }

  @Test("A method that the conventions do not know is _OTHER, with the original beside it")
  func method() {
    let attributes = attributes { api in
      api.get(endpoint: "a") { request in
        var request = request
        request.httpMethod = "REPORT"
        return request
      }
    }
    #expect(attributes["http.request.method"] == .string("_OTHER"))
    #expect(attributes["http.request.method_original"] == .string("REPORT"))
  }

  @Test("The template of an endpoint's path includes the base path, and has no values")
  func template() {
    #expect(
      attributes { $0.publisher(for: Photo(pet: 7, name: "canary")) }["url.template"]
        == .string("/v1/pets/{}/photos/{}.jpg"))
    #expect(
      attributes { $0.publisher(for: Place(path: "pets")) }["url.template"] == .string("/v1/pets"))
    let path = "pets/7"
    #expect(
      attributes { $0.publisher(for: Place(path: ResourcePath(path))) }["url.template"] == nil)
  }

  @Test("Paths that make the same URL are equal, in any spelling")
  func equality() {
    let path = "pets/7"
    let literal: ResourcePath = "pets/7"
    let interpolated: ResourcePath = "pets/\(7)"
    #expect(literal == interpolated)
    #expect(Set([literal, interpolated, ResourcePath(path)]).count == 1)
    #expect(literal != "pets/8")
  }

  @Test("The end of an exchange has the status, the error type, and the connection if known")
  func end() throws {
    _ = attributes { $0.get(endpoint: "a") }
    let end = try #require(transcript.ends.last)
    #expect(
      end.attributes == [
        "http.response.status_code": .integer(200), "network.protocol.version": .string("2"),
        "network.peer.address": .string("192.0.2.7"), "network.peer.port": .integer(443),
      ])
  }
}
