import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension Publisher where Output == RESTResponse, Failure == any Error {
  /// Asks the server whether a response that was kept is still good, and gives that one if it is.
  ///
  /// A GET goes out with `If-None-Match`, or `If-Modified-Since` where there is no entity tag, of the
  /// response that is kept for it. The answer 304 becomes that response, with the header fields that
  /// the 304 brought (RFC 9111 §4.3.4). Another answer passes, and is kept if it is a 200 with a
  /// validator that does not forbid it. A request with a condition of its own is left alone.
  ///
  /// Responses come on the transport's thread. Put it before stages that decode, and behind none that
  /// turn statuses into errors.
  ///
  /// - Parameter cache: Where responses are kept.
  public func revalidated(in cache: ResponseCache) -> AnyPublisher<RESTResponse, any Error> {
    Deferred {
      let revalidation = Revalidation(cache)
      return context(ValidatorsKey.self, revalidation).map { revalidation.settle($0) }
    }
    .eraseToAnyPublisher()
  }
}

/// One subscription's dealings with a cache.
final class Revalidation: RequestPreparer {
  private struct Asked {
    let request: URLRequest
    let asker: RequestAsker?
    let kept: RESTResponse?
  }

  private let cache: ResponseCache
  private let asked = Lock<Asked?>(nil)

  init(_ cache: ResponseCache) {
    self.cache = cache
  }

  /// Adds the validators of what is kept.
  func prepare(
    _ request: inout URLRequest, ofAPIAt api: String, after credential: (any RequestPreparer)?
  ) {
    guard !request.isConditional else { return asked.withLock { $0 = nil } }
    let plain = request
    let asker = credential?.asker(of: request)
    let kept = cache.entry(for: request, askedBy: asker)?.response
    if let tag = kept?.headers["ETag"] {
      request.setValue(tag, forHTTPHeaderField: "If-None-Match")
    } else if let date = kept?.headers["Last-Modified"] {
      request.setValue(date, forHTTPHeaderField: "If-Modified-Since")
    }
    asked.withLock { $0 = Asked(request: plain, asker: asker, kept: kept) }
  }

  func settle(_ response: RESTResponse) -> RESTResponse {
    guard let asked = asked.withLock({ $0 }) else { return response }
    // What a redirect led to is another resource's.
    guard response.url == asked.request.url else { return response }
    guard response.statusCode == 304, let kept = asked.kept else {
      if response.statusCode == 200 {
        cache.keep(response, for: asked.request, askedBy: asked.asker)
      }
      return response
    }
    let confirmed = response.confirming(kept)
    cache.keep(confirmed, for: asked.request, askedBy: asked.asker)
    return confirmed
  }
}

extension URLRequest {
  /// Whether it states a condition (RFC 9110 §13.1).
  fileprivate var isConditional: Bool {
    ["If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "If-Range"]
      .contains { value(forHTTPHeaderField: $0) != nil }
  }
}

extension RESTResponse {
  /// A response that was kept, as this 304 confirms it.
  fileprivate func confirming(_ kept: RESTResponse) -> RESTResponse {
    var headers = kept.headers
    let names = Set(self.headers.map { $0.name.lowercased() }).subtracting(Self.framing)
    for name in names { headers.remove(name) }
    for (name, value) in self.headers where names.contains(name.lowercased()) {
      headers.append(name: name, value: value)
    }
    let head = ResponseHead(
      url: url, statusCode: kept.statusCode, httpVersion: head.httpVersion, headers: headers)
    return replacing(head: head, data: kept.data)
  }

  /// Fields of a message and not of what it tells of (RFC 9111 §3.2).
  private static let framing: Set = [
    "content-length", "content-encoding", "content-range", "content-type", "transfer-encoding",
    "connection",
  ]
}
