import RESTKit
import Testing

/// The transports that there are on this platform; each test runs through each of them.
enum TransportKind: CaseIterable, CustomTestStringConvertible {
  #if os(Linux)
    case curl
  #endif
  case urlSession

  func makeTransport() throws -> any Transport {
    switch self {
    #if os(Linux)
      case .curl: try CurlTransport()
    #endif
    case .urlSession: URLSessionTransport()
    }
  }

  /// The one that RESTKit uses by itself.
  static let `default` = allCases[0]

  /// Whether Foundation is swift-corelibs-foundation, which has its own limits.
  var isURLSessionOnLinux: Bool {
    #if os(Linux)
      self == .urlSession
    #else
      false
    #endif
  }

  var testDescription: String { "\(self)" }
}
