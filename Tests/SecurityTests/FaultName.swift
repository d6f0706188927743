import RESTKit

/// The kinds of faults as the corpus names them.
enum FaultName {
  /// The name of an error's kind, such as `bodyCut` or `limitExceeded(bodyBytes)`.
  static func name(of error: RESTError) -> String {
    switch error.kind {
    case .transport(.limitExceeded(let limit)): "limitExceeded(\(limit))"
    case .transport(.tlsFailed(let failure)): "tlsFailed(\(failure))"
    case .transport(let kind): "\(kind)"
    case let kind: "\(kind)"
    }
  }
}
