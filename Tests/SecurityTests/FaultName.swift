import RESTKit

/// The kinds of faults as the corpus names them.
enum FaultName {
  /// The name of an error's kind, such as `bodyCut` or `limitExceeded(bodyBytes)`; where only the
  /// body of a response cannot be read, of the body's fault.
  static func name(of error: RESTError) -> String {
    var kind = error.kind
    if case .status = kind, let fault = error.underlyingError as? TransportError {
      kind = .transport(fault.kind)
    }
    return switch kind {
    case .transport(.limitExceeded(let limit)): "limitExceeded(\(limit))"
    case .transport(.tlsFailed(let failure)): "tlsFailed(\(failure))"
    case .transport(let kind): "\(kind)"
    case let kind: "\(kind)"
    }
  }
}
