extension CacheDecision {
  /// The cache status of a response, as far as the decision determines it.
  var status: CacheStatus {
    switch self {
    case .fresh(let answer): .hit(ttl: answer.freshness.ttl, detail: answer.detail)
    case .stale(let answer, _): .hit(ttl: answer.freshness.ttl, detail: description)
    case .unsatisfiable: .unsatisfied
    case .validate, .miss, .bypass: .forwarded(reason)
    }
  }

  /// Whether nothing is sent.
  var isAnswer: Bool {
    switch self {
    case .fresh, .stale, .unsatisfiable: true
    case .validate, .miss, .bypass: false
    }
  }

  /// The reason for asking a server.
  var reason: CacheStatus.ForwardReason {
    switch self {
    case .validate(let validation): validation.reason == .request ? .request : .stale
    case .miss(.nothingStored): .uriMiss
    case .miss(.otherVariant): .varyMiss
    case .bypass(.method): .method
    case .bypass(.noStore): .request
    case .bypass, .fresh, .stale, .unsatisfiable: .bypass
    }
  }
}

extension CachedAnswer {
  fileprivate var detail: String? {
    freshness.kind == .heuristic ? "fresh by a heuristic" : nil
  }
}
