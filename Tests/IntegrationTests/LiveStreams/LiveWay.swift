import Foundation
import RESTKit
import Streams
import Testing

/// A transport, and the road from it to the live streams.
struct LiveWay: Sendable, CustomTestStringConvertible {
  enum Road: CaseIterable {
    case direct
    /// Through nginx, which does not buffer.
    case nginx
    /// The same over TLS, with HTTP/2 on our side.
    case http2
  }

  let kind: TransportKind
  let road: Road

  static let all = TransportKind.allCases.flatMap { kind in
    Road.allCases.map { LiveWay(kind: kind, road: $0) }
  }
  // URLSession has no setting for the trusted authority here, least of all on Linux.
  .filter { $0.kind != .urlSession || $0.road != .http2 }

  /// The ways on which a subscriber without demand holds the server back.
  ///
  /// URLSession reads on.
  static let holding = all.filter { $0.kind != .urlSession }

  /// An API with the paths of the server, through its own transport.
  func api(session: TokenSession? = nil) throws -> LiveAPI {
    let base =
      switch road {
      case .direct: try Peer.events.text
      case .nginx: try Peer.plain.text + "/live"
      case .http2: try Peer.http2.text + "/live"
      }
    return LiveAPI(baseURL: base, transport: try transport(), session: session)
  }

  private func transport() throws -> any Transport {
    #if os(Linux)
      guard road == .http2 else { return try kind.makeTransport() }
      var tls = TLSOptions()
      tls.authorities = .file(try Peer.authority.file)
      return try CurlTransport(tls: tls)
    #else
      return try kind.makeTransport()
    #endif
  }

  var testDescription: String { "\(kind), \(road)" }
}

/// The live streams of `Servers/events.py`.
struct LiveAPI: RESTAPI {
  let baseURL: String
  var transport: any Transport
  var session: TokenSession?

  /// The server's record of a topic.
  struct Log: Decodable, Sendable {
    struct Connection: Decodable, Sendable {
      let path: String
      let id: String
      let token: String
      let body: String
    }

    let connections: [Connection]
    let refreshes: Int
    let open: Int
    let sent: Int
  }

  /// The server itself, without proxies between.
  private static var server: LiveAPI {
    get throws { LiveAPI(baseURL: try Peer.events.text, transport: SharedTransport()) }
  }

  static func log(of topic: String) async throws -> Log {
    try await server.get(endpoint: "log/\(topic)").decode(type: Log.self).value
  }

  /// Returns once the server has no open stream of a topic any more.
  static func waitForClose(of topic: String) async throws {
    let answer = try await server.get(endpoint: "closed/\(topic)").value
    #expect(answer.statusCode == 204)
  }

  /// Returns once the server can write nothing more to a stream of a topic.
  static func waitForHold(of topic: String) async throws {
    let answer = try await server.get(endpoint: "held/\(topic)").value
    #expect(answer.statusCode == 204)
  }

  /// Makes the server send what it holds back, and returns when it has.
  static func letGo(of topic: String, number: Int? = nil) async throws {
    let answer = try await server.post(
      endpoint: "next/\(topic)", query: ["number": number.map { "\($0)" }]
    ).value
    #expect(answer.statusCode == 204)
  }

  /// A topic that no other test has.
  static func topic() -> String { UUID().uuidString.lowercased() }
}
