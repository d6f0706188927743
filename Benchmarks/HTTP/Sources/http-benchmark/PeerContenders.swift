import AsyncHTTPClient
import CBareCurl
import Dispatch
import Foundation
import FoundationNetworking
import Measuring

/// The others: each in the way its documentation shows, with what stays the same made before.
enum PeerContenders {
  private static let queue = DispatchQueue(label: "libcurl in C")
  private static let client = HTTPClient(configuration: HTTPClient.Configuration())

  static func all(at peer: Peer) -> [Contender] {
    var contenders = [urlSession(peer), asyncHTTPClient(peer)]
    if barecurl_is_there() { contenders.append(bareCurl(peer)) }
    return contenders
  }

  private static func urlSession(_ peer: Peer) -> Contender {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    let session = URLSession(configuration: configuration)
    let request = URLRequest(url: peer.address)
    return Contender(.urlSession) {
      let (data, response) = try await session.data(for: request)
      guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw Unsound("\(response)") }
      return data.count
    }
  }

  private static func asyncHTTPClient(_ peer: Peer) -> Contender {
    let request = HTTPClientRequest(url: peer.address.absoluteString)
    return Contender(.asyncHTTPClient) {
      let response = try await client.execute(request, timeout: .seconds(60))
      guard response.status.code == 200 else { throw Unsound("\(response)") }
      return try await response.body.collect(upTo: 1 << 20).readableBytes
    }
  }

  private static func bareCurl(_ peer: Peer) -> Contender {
    let url = peer.address.absoluteString
    return Contender(.bareCurl) { calls, callers in
      try await withCheckedThrowingContinuation { continuation in
        queue.async {
          let bytes = barecurl_run(url, Int32(callers), calls)
          continuation.resume(
            with: bytes < 0 ? .failure(Unsound("libcurl in C failed")) : .success(bytes))
        }
      }
    }
  }

  /// Ends what would complain of being dropped.
  static func shutdown() async throws {
    try await client.shutdown()
  }
}
