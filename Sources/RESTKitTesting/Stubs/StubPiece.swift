import Foundation

/// A piece of a stub's body, and the wait before the server sends it.
///
/// ```swift
/// let pieces: [StubPiece] = ["data: a\n\n", .after(.seconds(2), "data: b\n\n"), .wait(.seconds(1))]
/// ```
public struct StubPiece: Sendable, Hashable, ExpressibleByStringLiteral {
  /// The bytes.
  ///
  /// A piece without bytes is only a wait.
  public let data: Data
  /// The time since the previous piece or the head; never negative.
  public let wait: Duration

  /// - Parameters:
  ///   - data: The bytes.
  ///   - wait: The time since the previous piece or the head. A negative time counts as zero.
  public init(_ data: Data, after wait: Duration = .zero) {
    self.data = data
    self.wait = max(wait, .zero)
  }

  /// Creates a piece of UTF-8 text that is sent at once.
  public init(stringLiteral text: String) {
    self.init(Data(text.utf8))
  }

  /// Returns a piece of UTF-8 text that is sent some time after the previous piece.
  public static func after(_ wait: Duration, _ text: String) -> StubPiece {
    StubPiece(Data(text.utf8), after: wait)
  }

  /// Returns a piece that is sent some time after the previous piece.
  public static func after(_ wait: Duration, _ data: Data) -> StubPiece {
    StubPiece(data, after: wait)
  }

  /// Returns a wait without bytes, before the next piece or the end.
  public static func wait(_ wait: Duration) -> StubPiece {
    StubPiece(Data(), after: wait)
  }
}
