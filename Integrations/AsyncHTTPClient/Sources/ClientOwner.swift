import AsyncHTTPClient
import NIOCore

/// Keeps a client running for a transport and its calls, and shuts it down behind the last of them.
final class ClientOwner: Sendable {
  let client: HTTPClient

  init(eventLoopGroup: any EventLoopGroup, configuration: HTTPClient.Configuration) {
    var configuration = configuration
    configuration.redirectConfiguration = .disallow
    configuration.decompression = .disabled
    configuration.connectionPool.retryConnectionEstablishment = false
    client = HTTPClient(eventLoopGroup: eventLoopGroup, configuration: configuration)
  }

  deinit {
    // Who could hear of a failure is gone, and the client lets go of its connections either way.
    client.shutdown { _ in }
  }
}
