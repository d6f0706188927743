import Foundation

/// An event of a call that is delivered in pieces.
enum EngineEvent: Sendable {
  /// The total number of body bytes handed to the network so far.
  case sent(Int64)
  /// The head of the final response. Heads of 1xx responses are dropped.
  case head(EngineHead)
  /// The next decoded bytes of the body; never empty.
  case chunk(Data)
}

/// Whether the engine may deliver more pieces.
enum EngineFlow: Sendable {
  case more
  /// The engine delivers only pieces that are already under way, until `HTTPEngine.resume(_:)`.
  case pause
}

/// A handler for the pieces of one call.
///
/// It gets them one after another on a thread of the engine, which it may block.
typealias EngineEventHandler = @Sendable (EngineEvent) -> EngineFlow
