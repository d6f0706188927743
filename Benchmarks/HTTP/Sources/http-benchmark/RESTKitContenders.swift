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

  /// Returns the contenders that can reach a target: URLSession cannot trust the peers'
  /// certificates.
  func all(at target: Target) -> [Contender] {
    let ours = [
      Self.verbs(.verbs, PeerAPI(baseURL: target.base, transport: curl), target.path),
      Self.bare(.curlTransport, curl, target.address),
    ]
    guard target.traffic.wire == .plain else { return ours }
    let api = PeerAPI(baseURL: target.base, transport: urlSession)
    return ours + [
      Self.verbs(.verbsOnURLSession, api, target.path),
      Self.bare(.urlSessionTransport, urlSession, target.address),
    ]
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
      let response = try await api.get(endpoint: path).value
      guard response.statusCode == 200 else { throw Unsound("\(response)") }
      return response.data.count
    }
  }

  private static func bare(
    _ client: Client, _ transport: some Transport, _ address: URL
  ) -> Contender {
    let request = URLRequest(url: address)
    return Contender(client) {
      let response = try await transport.response(for: request).value
      guard response.statusCode == 200 else { throw Unsound("\(response)") }
      return response.data.count
    }
  }
}

/// A transport that returns the response at once, so that only the layers above it take time.
struct Answer: Transport {
  private let response: RESTResponse

  init(at peer: Peer) {
    response = RESTResponse(
      head: ResponseHead(url: peer.address, statusCode: 200), data: Data(peer.answer.utf8),
      request: RequestSummary(method: .get, url: peer.address))
  }

  func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
    Just(response).setFailureType(to: (any Error).self).eraseToAnyPublisher()
  }
}
