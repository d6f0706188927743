import Foundation

/// What an engine tells of a call that is delivered in pieces.
enum EngineEvent: Sendable {
  /// So many bytes of the body were handed to the network, in all.
  case sent(Int64)
  /// The head of the final response; 1xx are dropped.
  case head(EngineHead)
  /// The next bytes of the body, without its content encoding; never empty.
  case chunk(Data)
}

/// Whether the pieces may go on.
enum EngineFlow: Sendable {
  case more
  /// Nothing but what is under way already, until `HTTPEngine.resume(_:)`.
  case pause
}

/// Takes the pieces of one call, one after another, on a thread of the engine, which it may block.
typealias EngineEventHandler = @Sendable (EngineEvent) -> EngineFlow
