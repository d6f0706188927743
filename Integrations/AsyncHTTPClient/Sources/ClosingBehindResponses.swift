import NIOCore

/// A handler that delays the close of a connection until the client has passed on its response.
///
/// The client closes a connection before it ends the response that caused the close. Unsent data
/// then fails, and the call fails with it. A response that came before the request's body was sent
/// would be lost.
final class ClosingBehindResponses: ChannelOutboundHandler {
  typealias OutboundIn = Never

  func close(
    context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?
  ) {
    // SwiftNIO calls a handler on the event loop of its channel, so this never traps.
    context.eventLoop.assumeIsolated().execute { context.close(mode: mode, promise: promise) }
  }
}
