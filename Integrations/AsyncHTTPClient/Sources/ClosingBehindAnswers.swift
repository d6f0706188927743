import NIOCore

/// Lets the client hand an answer on before the connection below it closes.
///
/// The client closes a connection before it ends the answer that the close belongs to. What was not
/// sent by then fails, and fails the call with it. An answer that came before the request's body was
/// sent would be lost.
final class ClosingBehindAnswers: ChannelOutboundHandler {
  typealias OutboundIn = Never

  func close(
    context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?
  ) {
    context.eventLoop.assumeIsolated().execute { context.close(mode: mode, promise: promise) }
  }
}
