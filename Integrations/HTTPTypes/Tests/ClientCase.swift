import Foundation
import HTTPTypes
import RESTKit
import RESTKitAsyncHTTPClient
import RESTKitHTTPTypes
import RESTKitTesting
import Streams

/// A behavior that an HTTP client is expected to have, and its measurement.
struct ClientCase: Sendable {
  /// The server and the client of a case.
  struct Scene: Sendable {
    let transport: any Transport
    let server: MockServer

    func request(
      _ method: HTTPRequest.Method = .get, _ path: String = "/", _ fields: HTTPFields = [:]
    ) -> HTTPRequest {
      HTTPRequest(
        method: method, scheme: "http", authority: "127.0.0.1:\(server.port)", path: path,
        headerFields: fields)
    }

    /// Sends a request as a value of HTTPTypes, and collects the response.
    func send(
      _ method: HTTPRequest.Method = .get, _ path: String = "/", _ fields: HTTPFields = [:],
      body: HTTPMessageBody? = nil
    ) async throws -> (response: HTTPResponse, data: Data) {
      let (response, chunks) = try await transport.execute(
        request(method, path, fields), body: body)
      return (response, try await chunks.collect())
    }

    /// The verbs of RESTKit, which follow redirects.
    var api: some RESTAPI { CaseAPI(baseURL: server.baseURL, transport: transport) }
  }

  let name: String
  /// The server's handler.
  let serve: MockServer.Handler
  /// The server's handler before it has read a request's body.
  var serveEarly: MockServer.EarlyHandler?
  /// The time limit of the case.
  ///
  /// A hang is also an outcome.
  var patience = Duration.seconds(20)
  /// The outcome, in a few words.
  let outcome: @Sendable (Scene) async throws -> String

  /// Tries the case over a transport.
  func outcome(over transport: any Transport) async throws -> String {
    let server = try MockServer(early: serveEarly, handler: serve)
    defer { server.stop() }
    // Not in a task group, which would wait for a case that hears of no cancel.
    let (results, result) = AsyncStream.makeStream(of: Result<String, any Error>.self)
    let scene = Scene(transport: transport, server: server)
    let run = Task {
      do {
        result.yield(.success(try await outcome(scene)))
      } catch {
        result.yield(.failure(error))
      }
    }
    let limit = Task {
      try await Task.sleep(for: patience)
      result.yield(.success("no response"))
    }
    defer {
      run.cancel()
      limit.cancel()
    }
    do {
      return try await results.first { _ in true }?.get() ?? ""
    } catch let error as RESTError {
      return Self.words(for: error)
    }
  }

  static func words(for error: RESTError) -> String {
    guard let fault = error.underlyingError as? TransportError else { return "`.\(error.kind)`" }
    let kind = "\(fault.kind)".replacingOccurrences(of: "HTTPWire.TransportError.Limit.", with: ".")
    return "`.\(kind)`"
  }

  private struct CaseAPI: RESTAPI {
    let baseURL: String
    let transport: any Transport
  }
}
