#if os(Linux)
  import Fixtures
  import Foundation
  import RESTKitTesting
  import Testing

  @testable import HTTPTransport
  @testable import RESTKit

  @Suite("A kept connection that received unsolicited bytes", .timeLimit(.minutes(10)))
  struct SpentConnectionTests {
    /// Answers with the number of the connection.
    private func peer() throws -> RawPeer {
      try RawPeer { connection in
        while connection.readRequest() != nil {
          connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n\(connection.index)")
        }
      }
    }

    private func body(_ engine: any HTTPEngine, _ request: EngineRequest) async throws -> String {
      String(decoding: try await engine.response(request).body, as: UTF8.self)
    }

    @Test(
      "SEC-09: unsolicited bytes answer no call, and the next call uses a new connection",
      arguments: IdleEvent.allCases, ["GET", "POST", "HEAD"])
    func nextCall(event: IdleEvent, method: String) async throws {
      let peer = try peer()
      defer { peer.stop() }
      let engine = try EngineKind.curl.make()
      #expect(try await body(engine, EngineRequest(url: peer.baseURL)) == "0")
      event.happen(at: peer)
      let request = EngineRequest(
        url: peer.baseURL, method: method, body: method == "POST" ? Data("once".utf8) : nil)
      #expect(try await body(engine, request) == (method == "HEAD" ? "" : "1"))
      #expect(peer.connectionCount == 2)
    }

    @Test("SEC-09: the late body of a HEAD answers no call")
    func lateBodyOfHead() async throws {
      let peer = try RawPeer { connection in
        while let request = connection.readRequest() {
          let head = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n"
          connection.send(request.hasPrefix("HEAD") ? head : head + "\(connection.index)")
        }
      }
      defer { peer.stop() }
      let engine = try EngineKind.curl.make()
      _ = try await engine.response(EngineRequest(url: peer.baseURL, method: "HEAD"))
      peer.send(Data("0".utf8), on: 0)
      let next = try await body(engine, EngineRequest(url: peer.baseURL, method: "POST"))
      #expect(next == "1")
    }

    @Test("A connection without unsolicited bytes is reused")
    func silent() async throws {
      let peer = try peer()
      defer { peer.stop() }
      let engine = try EngineKind.curl.make()
      let get = EngineRequest(url: peer.baseURL)
      let responses = try await engine.responses(
        Array(repeating: get, count: 5) + [EngineRequest(url: peer.baseURL, method: "POST")])
      #expect(
        responses.map { String(decoding: $0.body, as: UTF8.self) }
          == Array(repeating: "0", count: 6))
      #expect(peer.connectionCount == 1)
    }

    @Test("At the limit, spent connections are replaced by new ones")
    func atTheLimit() async throws {
      let peer = try peer()
      defer { peer.stop() }
      let engine = try EngineKind.curl.make(maxConnections: 1)
      for round in 0..<4 {
        #expect(try await body(engine, EngineRequest(url: peer.baseURL)) == "\(round)")
        peer.send(Data("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil".utf8), on: round)
      }
      #expect(peer.connectionCount == 4)
    }

    @Test("A streamed body is sent whole on the new connection")
    func upload() async throws {
      let peer = try RawPeer { connection in
        while let request = connection.readRequest() {
          let body = request.components(separatedBy: "\r\n\r\n").last ?? ""
          connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        }
      }
      defer { peer.stop() }
      let engine = try EngineKind.curl.make()
      _ = try await engine.response(EngineRequest(url: peer.baseURL))
      peer.reset(0)
      var request = EngineRequest(url: peer.baseURL, method: "POST")
      request.upload = .data(Data("said once".utf8))
      #expect(try await body(engine, request) == "said once")
    }
  }
#endif
