import Foundation
import FoundationNetworking
import Measuring
import RESTKit
import Streams

/// The API that the peer is.
struct PeerAPI: RESTAPI {
  let baseURL: String
  let transport: any Transport
}

enum RESTKitContenders {
  static func all(at peer: Peer) throws -> [Contender] {
    let curl = try CurlTransport()
    let urlSession = URLSessionTransport()
    return [
      verbs(.verbs, PeerAPI(baseURL: peer.url, transport: curl)),
      bare(.curlTransport, curl, peer),
      verbs(.verbsOnURLSession, PeerAPI(baseURL: peer.url, transport: urlSession)),
      bare(.urlSessionTransport, urlSession, peer),
    ]
  }

  static func answeredAtOnce(at peer: Peer) -> [Contender] {
    let transport = Answer(at: peer)
    return [
      verbs(.verbsOnAnswer, PeerAPI(baseURL: peer.url, transport: transport)),
      bare(.answer, transport, peer),
    ]
  }

  private static func verbs(_ client: Client, _ api: PeerAPI) -> Contender {
    Contender(client) {
      let response = try await api.get(endpoint: "json").value
      guard response.statusCode == 200 else { throw Unsound("\(response)") }
      return response.data.count
    }
  }

  private static func bare(
    _ client: Client, _ transport: some Transport, _ peer: Peer
  ) -> Contender {
    let request = URLRequest(url: peer.address)
    return Contender(client) {
      let response = try await transport.response(for: request).value
      guard response.statusCode == 200 else { throw Unsound("\(response)") }
      return response.data.count
    }
  }
}

/// A transport that has the answer, so that only what is above it takes time.
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
