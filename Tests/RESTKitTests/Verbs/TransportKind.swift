import RESTKit

/// The transports that can be tried on this platform.
enum TransportKind: CaseIterable, Sendable {
  #if os(Linux)
    case curl
  #endif
  case urlSession

  func make() throws -> any Transport {
    switch self {
    #if os(Linux)
      case .curl: try CurlTransport()
    #endif
    case .urlSession: URLSessionTransport()
    }
  }
}
