import RESTKit

/// The fault of an exchange as a custom field of a HAR file: `_fault`.
package struct HARFault {
  let fault: TransportError

  package init(_ fault: TransportError) {
    self.fault = fault
  }

  /// Reads the field.
  ///
  /// The result is nil if RESTKit did not write the field.
  init?(_ json: JSONValue?) {
    guard let name = json?["kind"]?.string, let kind = TransportError.Kind(harName: name) else {
      return nil
    }
    fault = TransportError(
      kind: kind, detail: json?["detail"]?.string ?? "",
      // Without the field, the safe assumption applies.
      mayHaveBeenProcessed: json?["mayHaveBeenProcessed"] != .bool(false),
      statusCode: json?["status"]?.integer)
  }

  package var json: JSONValue {
    var json: JSONValue = ["kind": .string(fault.kind.harName), "detail": .string(fault.detail)]
    if case .object(var members) = json {
      members["mayHaveBeenProcessed"] = .bool(fault.mayHaveBeenProcessed)
      members["status"] = fault.statusCode.map { .integer(Int64($0)) }
      json = .object(members)
    }
    return json
  }
}

extension TransportError.Kind {
  /// The name of the kind in a HAR file, such as `timedOut`, `tlsFailed.certificateExpired` and
  /// `other.7`.
  var harName: String {
    switch self {
    case .tlsFailed(let failure): "tlsFailed.\(failure)"
    case .limitExceeded(let limit): "limitExceeded.\(limit)"
    case .other(let code): "other.\(code)"
    // A new kind here must also be added to `named`.
    case .unsupportedURL, .invalidRequest, .hostNotFound, .connectionRefused, .connectFailed,
      .connectionClosedBeforeResponse, .connectionReset, .bodyCut, .malformedResponse,
      .undecodableBody, .timedOut, .sendFailed, .engineUnavailable, .invalidOptions:
      "\(self)"
    }
  }

  init?(harName: String) {
    if harName.hasPrefix("other."),
      let code = Int64(harName.dropFirst(6)).flatMap({ Int(exactly: $0) })
    {
      self = .other(code: code)
      return
    }
    guard let kind = Self.named.first(where: { $0.harName == harName }) else { return nil }
    self = kind
  }

  private static let named: [Self] =
    [
      .unsupportedURL, .invalidRequest, .hostNotFound, .connectionRefused, .connectFailed,
      .connectionClosedBeforeResponse, .connectionReset, .bodyCut, .malformedResponse,
      .undecodableBody, .timedOut, .sendFailed, .engineUnavailable, .invalidOptions,
      .limitExceeded(.headerBytes), .limitExceeded(.headerLineBytes), .limitExceeded(.headerCount),
      .limitExceeded(.bodyBytes),
      .limitExceeded(.errorBodyBytes), .limitExceeded(.expansionRatio),
    ] + TransportError.TLSReason.allCases.map(Self.tlsFailed)
}
