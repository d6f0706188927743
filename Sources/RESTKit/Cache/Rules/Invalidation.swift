import Foundation

/// The invalidation by a response to an unsafe method (RFC 9111 §4.4).
enum Invalidation {
  /// The methods that are known to be safe (RFC 9110 §9.2.1).
  ///
  /// Others may change something.
  private static let safe: Set<HTTPMethod> = [.get, .head, .options, HTTPMethod("TRACE")]

  /// Returns the targets whose responses must be removed for every principal: the request's, and
  /// those of the response's `Location` and `Content-Location` with the same origin.
  ///
  /// - Returns: None for a safe method, and for an error status.
  static func targets(of request: CacheRequest, answeredBy head: ResponseHead) -> [String] {
    guard !safe.contains(request.method), 200...399 ~= head.statusCode, let url = request.url
    else { return [] }
    let origin = Origin(url)
    let named = ["Location", "Content-Location"].compactMap { name in
      head.headers.values(for: name).first.flatMap { RedirectTarget.url($0, from: url) }
    }
    var targets: [String] = []
    for url in [url] + named.filter({ Origin($0) == origin }) {
      guard let target = CacheKey.target(url), !targets.contains(target) else { continue }
      targets.append(target)
    }
    return targets
  }
}
