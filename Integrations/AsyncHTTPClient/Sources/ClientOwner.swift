import AsyncHTTPClient
import NIOCore

/// The owner of a client, which a transport and its calls share, and whose release shuts the client
/// down.
final class ClientOwner: Sendable {
  let client: HTTPClient

  init(eventLoopGroup: any EventLoopGroup, configuration: HTTPClient.Configuration) {
    var configuration = configuration
    configuration.redirectConfiguration = .disallow
    configuration.decompression = .disabled
    configuration.connectionPool.retryConnectionEstablishment = false
    let initializer = configuration.http1_1ConnectionDebugInitializer
    configuration.http1_1ConnectionDebugInitializer = { channel in
      Self.prepare(channel).flatMap {
        initializer?(channel) ?? channel.eventLoop.makeSucceededVoidFuture()
      }
    }
    client = HTTPClient(eventLoopGroup: eventLoopGroup, configuration: configuration)
  }

  private static func prepare(_ channel: any Channel) -> EventLoopFuture<Void> {
    channel.eventLoop.submit {
      try channel.pipeline.syncOperations.addHandler(ClosingBehindResponses(), position: .first)
    }
    // If the connection has closed meanwhile, its user gets an error anyway.
    .recover { _ in }
  }

  deinit {
    // Nobody is left to receive a failure, and the client closes its connections in either case.
    client.shutdown { _ in }
  }
}
