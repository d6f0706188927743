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
  private let queues = (1...2).map { DispatchQueue(label: "libcurl in C, thread \($0)") }
  private let client: HTTPClient
  private let session: URLSession

  /// The number of connections that CurlTransport uses.
  private static let connections = 6
  /// The number of streams of HTTP/2 that CurlTransport uses at a time.
  private static let streams = 100

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

  /// Returns the contenders that can reach a target.
  func all(at target: Target) -> [Contender] {
    var contenders = [asyncHTTPClient(target)]
    if target.traffic.isForURLSession { contenders.insert(urlSession(target), at: 0) }
    guard barecurl_is_there() else { return contenders }
    contenders.append(bareCurl(target))
    if Self.mayBeSplit(target.traffic) { contenders.append(bareCurlTwice(target)) }
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

  /// Whether two threads can make the calls, each with connections of its own.
  ///
  /// All callers of an HTTP/2 connection that ends after a round must share it.
  private static func mayBeSplit(_ traffic: Traffic) -> Bool {
    traffic.callers > 1 && !traffic.isTogether
  }

  private func bareCurl(_ target: Target) -> Contender {
    Contender(.bareCurl, run: { load in try await run(load, at: target, thread: 0, of: 1) })
  }

  private func bareCurlTwice(_ target: Target) -> Contender {
    Contender(
      .bareCurlTwice,
      run: { load in
        async let half = run(load.half(0), at: target, thread: 0, of: 2)
        var answers = try await run(load.half(1), at: target, thread: 1, of: 2)
        answers.add(try await half)
        return answers
      })
  }

  private func run(
    _ load: Load, at target: Target, thread: Int, of threads: Int
  ) async throws -> Answers {
    let url = target.address.absoluteString
    let shares = target.traffic.wire == .http2
    let most = shares ? Self.streams : Self.connections / threads
    let order = barecurl_load(
      calls: load.calls, callers: Int32(load.callers), places: Int32(min(load.callers, most)),
      shares: shares, is_together: load.isTogether)
    return try await withCheckedThrowingContinuation { continuation in
      queues[thread].async { [authority] in
        var nanoseconds = [Int64](repeating: 0, count: load.calls)
        let bytes = barecurl_run(Int32(thread), url, authority, order, &nanoseconds)
        guard bytes >= 0 else {
          return continuation.resume(throwing: Unsound("libcurl in C failed"))
        }
        continuation.resume(
          returning: Answers(bytes: bytes, times: nanoseconds.map { .nanoseconds($0) }))
      }
    }
  }

  /// Shuts down the clients that must not be released without it.
  func shutdown() async throws {
    try await client.shutdown()
  }
}

extension Load {
  /// One half of the calls and the callers, for one of two threads.
  fileprivate func half(_ index: Int) -> Load {
    Load(
      calls: calls / 2 + (index < calls % 2 ? 1 : 0),
      callers: callers / 2 + (index < callers % 2 ? 1 : 0), isTogether: isTogether,
      isTimed: isTimed)
  }
}
