import RESTKit

/// The transports that can be tried on this platform.
package enum TransportKind: CaseIterable, Sendable {
  #if os(Linux)
    case curl
  #endif
  case urlSession

  package func make(limits: TransportLimits = TransportLimits()) throws -> any Transport {
    switch self {
    #if os(Linux)
      case .curl: try CurlTransport(limits: limits)
    #endif
    case .urlSession: URLSessionTransport(limits: limits)
    }
  }
}
