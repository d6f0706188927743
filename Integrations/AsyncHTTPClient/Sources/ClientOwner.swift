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
      try channel.pipeline.syncOperations.addHandler(ClosingBehindAnswers(), position: .first)
    }
    // A connection that has closed meanwhile says so to who uses it.
    .recover { _ in }
  }

  deinit {
    // Who could hear of a failure is gone, and the client lets go of its connections either way.
    client.shutdown { _ in }
  }
}
