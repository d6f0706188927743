import AsyncHTTPClient
import CBareCurl
import Dispatch
import Foundation
import FoundationNetworking
import Measuring

/// The contenders with other clients.
///
/// Each is used as its documentation shows, and constant objects are created before the calls.
struct PeerContenders {
  private let authority: String
  private let queue = DispatchQueue(label: "libcurl in C")
  private let client: HTTPClient
  private let session: URLSession

  /// The number of connections that CurlTransport uses.
  private static let connections = 6

  init(_ peer: Peer) {
    authority = peer.authority
    var own = HTTPClient.Configuration()
    own.tlsConfiguration = .makeClientConfiguration()
    own.tlsConfiguration?.trustRoots = .file(authority)
    client = HTTPClient(configuration: own)
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    session = URLSession(configuration: configuration)
  }

  /// Returns the contenders that can reach a target: URLSession cannot trust the peers'
  /// certificates.
  func all(at target: Target) -> [Contender] {
    var contenders = [asyncHTTPClient(target)]
    if target.traffic.wire == .plain { contenders.insert(urlSession(target), at: 0) }
    if barecurl_is_there() { contenders.append(bareCurl(target)) }
    return contenders
  }

  private func urlSession(_ target: Target) -> Contender {
    let request = URLRequest(url: target.address)
    return Contender(.urlSession) { [session] in
      let (data, response) = try await session.data(for: request)
      guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw Unsound("\(response)") }
      return data.count
    }
  }

  private func asyncHTTPClient(_ target: Target) -> Contender {
    let request = HTTPClientRequest(url: target.address.absoluteString)
    return Contender(.asyncHTTPClient) { [client] in
      let response = try await client.execute(request, timeout: .seconds(60))
      guard response.status.code == 200 else { throw Unsound("\(response)") }
      return try await response.body.collect(upTo: 1 << 20).readableBytes
    }
  }

  private func bareCurl(_ target: Target) -> Contender {
    let url = target.address.absoluteString
    let shares = target.traffic.wire == .http2
    return Contender(
      .bareCurl,
      run: { [authority, queue] load in
        let places = shares ? load.callers : min(load.callers, Self.connections)
        let order = barecurl_load(
          calls: load.calls, callers: Int32(load.callers), places: Int32(places), shares: shares,
          is_together: load.isTogether)
        return try await withCheckedThrowingContinuation { continuation in
          queue.async {
            var nanoseconds = [Int64](repeating: 0, count: load.calls)
            let bytes = barecurl_run(url, authority, order, &nanoseconds)
            guard bytes >= 0 else {
              return continuation.resume(throwing: Unsound("libcurl in C failed"))
            }
            continuation.resume(
              returning: Answers(bytes: bytes, times: nanoseconds.map { .nanoseconds($0) }))
          }
        }
      })
  }

  /// Shuts down the clients that must not be released without it.
  func shutdown() async throws {
    try await client.shutdown()
  }
}
