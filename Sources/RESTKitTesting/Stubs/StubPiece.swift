import Foundation

/// A piece of a stub's body, and how long the server takes until it sends it.
///
/// ```swift
/// let pieces: [StubPiece] = ["data: a\n\n", .after(.seconds(2), "data: b\n\n"), .wait(.seconds(1))]
/// ```
public struct StubPiece: Sendable, Hashable, ExpressibleByStringLiteral {
  /// The bytes; a piece without any is a wait.
  public let data: Data
  /// The time since the piece before it, or since the head; never negative.
  public let wait: Duration

  /// - Parameters:
  ///   - data: The bytes.
  ///   - wait: The time since the piece before it, or since the head; a negative one is none.
  public init(_ data: Data, after wait: Duration = .zero) {
    self.data = data
    self.wait = max(wait, .zero)
  }

  /// A text in UTF-8 that comes at once.
  public init(stringLiteral text: String) {
    self.init(Data(text.utf8))
  }

  /// A text in UTF-8 that comes some time after the piece before it.
  public static func after(_ wait: Duration, _ text: String) -> StubPiece {
    StubPiece(Data(text.utf8), after: wait)
  }

  /// A piece that comes some time after the one before it.
  public static func after(_ wait: Duration, _ data: Data) -> StubPiece {
    StubPiece(data, after: wait)
  }

  /// No bytes, and some time before what is next: a piece, or the end.
  public static func wait(_ wait: Duration) -> StubPiece {
    StubPiece(Data(), after: wait)
  }
}
