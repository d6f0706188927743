import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What a `URLSessionEngine` allows itself.
struct URLSessionEngineConfiguration: Sendable {
  /// Connections to one host at a time; more than the default invites faults on Linux.
  var maxConnectionsPerHost = 6
  /// What a response may cost.
  var limits = TransportLimits()

  /// No cookies, no credentials, and no cache: with one, cancelling can end the process on Linux.
  var sessionConfiguration: URLSessionConfiguration {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    configuration.httpCookieStorage = nil
    configuration.httpShouldSetCookies = false
    configuration.httpCookieAcceptPolicy = .never
    configuration.urlCredentialStorage = nil
    configuration.httpMaximumConnectionsPerHost = max(1, maxConnectionsPerHost)
    return configuration
  }
}
