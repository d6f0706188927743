extension CacheDecision {
  /// What a response's metadata say of it, before a server has answered; nil for a 504.
  var status: CacheStatus? {
    switch self {
    case .fresh(let answer): .hit(ttl: answer.freshness.ttl, detail: answer.detail)
    case .stale(let answer, _): .hit(ttl: answer.freshness.ttl, detail: description)
    case .validate(let validation):
      .forwarded(validation.reason == .request ? .request : .stale, detail: description)
    case .miss(.nothingStored): .forwarded(.uriMiss)
    case .miss(.otherVariant): .forwarded(.varyMiss)
    case .bypass(.method): .forwarded(.method)
    case .bypass(.noStore): .forwarded(.request, detail: description)
    case .bypass: .forwarded(.bypass, detail: description)
    case .unsatisfiable: nil
    }
  }
}

extension CachedAnswer {
  fileprivate var detail: String? {
    freshness.kind == .heuristic ? "fresh by a heuristic" : nil
  }
}
