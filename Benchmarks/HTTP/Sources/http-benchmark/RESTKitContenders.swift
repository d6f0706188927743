import Foundation
import FoundationNetworking
import Measuring
import RESTKit
import Streams

/// The API of the peer.
struct PeerAPI: RESTAPI {
  let baseURL: String
  let transport: any Transport
}

/// The contenders with RESTKit: its transports, each created once, and its verbs on them.
struct RESTKitContenders {
  private let curl: CurlTransport
  private let urlSession = URLSessionTransport()

  init(_ peer: Peer) throws {
    var tls = TLSOptions()
    tls.authorities = .file(URL(filePath: peer.authority))
    curl = try CurlTransport(tls: tls)
  }

  /// Returns the contenders that can reach a target.
  func all(at target: Target) -> [Contender] {
    let curlAPI = PeerAPI(baseURL: target.base, transport: curl)
    let ours = [
      Self.verbs(.verbs, curlAPI, target.path), Self.bare(.curlTransport, curl, target.address),
      pipeline(target), verbsPipeline(target), decoded(target), executor(target),
      verbsOnExecutor(target),
    ]
    guard target.traffic.isForURLSession else { return ours }
    let api = PeerAPI(baseURL: target.base, transport: urlSession)
    return ours + [
      Self.verbs(.verbsOnURLSession, api, target.path),
      Self.bare(.urlSessionTransport, urlSession, target.address),
    ]
  }

  private func pipeline(_ target: Target) -> Contender {
    let request = URLRequest(url: target.address)
    return Contender(
      .pipeline,
      pipeline: { [curl] in
        curl.response(for: request).tryMap { try $0.checkedLength }.eraseToAnyPublisher()
      })
  }

  private func verbsPipeline(_ target: Target) -> Contender {
    let lengths = lengths(at: target)
    return Contender(.verbsPipeline, pipeline: { lengths() })
  }

  private func decoded(_ target: Target) -> Contender {
    let lengths = lengths(at: target)
    return Contender(.verbsDecoded) { try await lengths().value }
  }

  private func executor(_ target: Target) -> Contender {
    let request = URLRequest(url: target.address)
    return Contender(.executor, on: curl.taskExecutor) { [curl] in
      try await curl.response(for: request).value.checkedLength
    }
  }

  private func verbsOnExecutor(_ target: Target) -> Contender {
    let lengths = lengths(at: target)
    return Contender(.verbsOnExecutor, on: curl.taskExecutor) { try await lengths().value }
  }

  /// Returns a closure that makes a call whose response is decoded, if it is the small one.
  private func lengths(at target: Target) -> @Sendable () -> AnyPublisher<Int, any Error> {
    let api = PeerAPI(baseURL: target.base, transport: curl)
    guard target.path == Target.small else {
      return {
        api.get(endpoint: target.path).tryMap { try $0.checkedLength }.eraseToAnyPublisher()
      }
    }
    return {
      api.get(endpoint: target.path).decode(type: SmallAnswer.self)
        .map { $0.id == 1 ? Peer.answer.utf8.count : 0 }.eraseToAnyPublisher()
    }
  }

  static func answeredAtOnce(at peer: Peer) -> [Contender] {
    let transport = Answer(at: peer)
    return [
      verbs(.verbsOnAnswer, PeerAPI(baseURL: peer.url, transport: transport), "json"),
      bare(.answer, transport, peer.address),
    ]
  }

  private static func verbs(_ client: Client, _ api: PeerAPI, _ path: String) -> Contender {
    Contender(client) {
      try await api.get(endpoint: path).value.checkedLength
    }
  }

  private static func bare(
    _ client: Client, _ transport: some Transport, _ address: URL
  ) -> Contender {
    let request = URLRequest(url: address)
    return Contender(client) {
      try await transport.response(for: request).value.checkedLength
    }
  }
}

/// The small response, decoded.
struct SmallAnswer: Decodable, Sendable {
  let id: Int
  let name: String
}

extension RESTResponse {
  /// The number of bytes of the body of a 200.
  fileprivate var checkedLength: Int {
    get throws {
      guard statusCode == 200 else { throw Unsound("\(self)") }
      return data.count
    }
  }
}

/// A transport that returns the response at once, so that only the layers above it take time.
struct Answer: Transport {
  private let response: RESTResponse

  init(at peer: Peer) {
    response = RESTResponse(
      head: ResponseHead(url: peer.address, statusCode: 200), data: Data(Peer.answer.utf8),
      request: RequestSummary(method: .get, url: peer.address))
  }

  func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
    Just(response).setFailureType(to: (any Error).self).eraseToAnyPublisher()
  }
}
