import Foundation

/// What an answer to an unsafe method makes invalid (RFC 9111 §4.4).
enum Invalidation {
  /// Methods that are known to change nothing (RFC 9110 §9.2.1); of others nobody knows.
  private static let safe: Set<HTTPMethod> = [.get, .head, .options, HTTPMethod("TRACE")]

  /// The targets whose answers have to go, for every asker: that of the request, and those of its
  /// `Location` and `Content-Location` that have the same origin.
  ///
  /// - Returns: None for a safe method, and for a status that is an error.
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
