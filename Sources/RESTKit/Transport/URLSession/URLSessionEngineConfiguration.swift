import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The configuration of a `URLSessionEngine`.
struct URLSessionEngineConfiguration: Sendable {
  /// The maximum number of connections to one host; more than the default causes faults on Linux.
  var maxConnectionsPerHost = 6
  /// The limits on the size of a response.
  var limits = TransportLimits()

  /// The session has no cookies, no credentials and no cache.
  ///
  /// With a cache, cancelling can end the process on Linux.
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
