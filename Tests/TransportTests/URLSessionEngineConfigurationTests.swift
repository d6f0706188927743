import Foundation
import Testing

@testable import HTTPTransport
@testable import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("The configuration of URLSession")
struct URLSessionEngineConfigurationTests {
  @Test("SEC-16: URLSession keeps no cookies, no credentials and no responses")
  func nothingKept() {
    let configuration = URLSessionEngineConfiguration().sessionConfiguration
    #expect(configuration.httpCookieStorage == nil)
    #expect(!configuration.httpShouldSetCookies)
    #expect(configuration.httpCookieAcceptPolicy == .never)
    #expect(configuration.urlCredentialStorage == nil)
    #expect(configuration.urlCache == nil)
    #expect(configuration.requestCachePolicy == .reloadIgnoringLocalCacheData)
  }

  @Test("Six connections go to one host, or the configured number, at least one")
  func connections() {
    var configuration = URLSessionEngineConfiguration()
    #expect(configuration.sessionConfiguration.httpMaximumConnectionsPerHost == 6)
    for (count, expected) in [(0, 1), (1, 1), (2, 2), (9, 9)] {
      configuration.maxConnectionsPerHost = count
      #expect(configuration.sessionConfiguration.httpMaximumConnectionsPerHost == expected)
    }
  }
}
