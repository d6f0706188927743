import Foundation
import RESTKit
import RESTKitTesting
import Streams
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A line to the token endpoint of an OAuth 2 server: each request arrives and is acted on, but the
/// first answers are lost.
struct LossyLine: Sendable {
  /// How a response is lost.
  enum Loss: CaseIterable, Sendable {
    case closed, reset, cut, silence

    fileprivate var delivery: MockResponse.Delivery {
      switch self {
      case .closed: .closeBeforeResponse
      case .reset: .resetBeforeResponse
      case .cut: .cut(afterBytes: 10)
      case .silence: .hang
      }
    }
  }

  let server: OAuthServer
  private let relay: MockServer
  private let answers: ReplaySubject<RESTResponse, Never>

  /// - Parameter losses: How the first answers are lost; those after them arrive.
  init(to server: OAuthServer, losing losses: [Loss]) throws {
    let answers = ReplaySubject<RESTResponse, Never>(bufferSize: losses.count)
    let count = Atomic(0)
    relay = try MockServer { request in
      guard let answer = Self.answer(of: server, to: request) else {
        return MockResponse(status: 502)
      }
      let number = count.wrappingAdd(1, ordering: .relaxed).oldValue
      let isLost = number < losses.count
      if isLost { answers.send(answer) }
      return MockResponse(
        status: answer.statusCode, headers: [("Content-Type", "application/json")],
        body: answer.data, delivery: isLost ? losses[number].delivery : .whole)
    }
    self.server = server
    self.answers = answers
  }

  /// The server's own path, on this line.
  var tokenEndpoint: String { relay.baseURL + "/o/token/" }

  func stop() { relay.stop() }

  /// The token response that was lost first, after the server has sent it.
  var firstLoss: TokenResponse {
    get async throws {
      try await answers.setFailureType(to: (any Error).self).first()
        .decode(type: TokenResponse.self).value
    }
  }

  /// Waits until the client has closed its first connection.
  func waitForHangup() async throws -> MockConnectionEnd { try await relay.connectionClosed(0) }

  /// The server's response to a request; nil if it sends none.
  private static func answer(of server: OAuthServer, to request: MockRequest) -> RESTResponse? {
    let answer = Lock<RESTResponse?>(nil)
    let end = DispatchSemaphore(value: 0)
    let call = server.post(endpoint: request.path, body: .data(request.body)) { forwarded in
      var forwarded = forwarded
      for name in ["Authorization", "Content-Type"] {
        forwarded.setValue(request.value(for: name), forHTTPHeaderField: name)
      }
      return forwarded
    }
    .sink(
      receiveCompletion: { _ in end.signal() },
      receiveValue: { response in answer.withLock { $0 = response } })
    end.wait()
    return withExtendedLifetime(call) { answer.withLock { $0 } }
  }
}
