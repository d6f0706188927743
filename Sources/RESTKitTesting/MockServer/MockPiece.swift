import Foundation

/// A piece of a body, and the event that a ``MockServer`` waits for before it sends the piece.
///
/// ```swift
/// let gate = MockGate()
/// let pieces: [MockPiece] = ["data: a\n\n", .when(gate, "data: b\n\n")]
/// ```
public struct MockPiece: Sendable, ExpressibleByStringLiteral {
  let data: Data
  private(set) var wait = Duration.zero
  private(set) var gate: MockGate?
  /// The pause before each byte; nil if the bytes are sent together.
  private(set) var pace: Duration?

  /// Creates a piece that is sent at once.
  public init(_ data: Data) {
    self.data = data
  }

  /// Creates a piece of UTF-8 text that is sent at once.
  public init(stringLiteral text: String) {
    self.init(Data(text.utf8))
  }

  /// Returns a piece that is sent some time after the previous one, in real time.
  public static func after(_ wait: Duration, _ data: Data) -> MockPiece {
    var piece = MockPiece(data)
    piece.wait = wait
    return piece
  }

  /// Returns a piece of UTF-8 text that is sent some time after the previous one, in real time.
  public static func after(_ wait: Duration, _ text: String) -> MockPiece {
    after(wait, Data(text.utf8))
  }

  /// Returns a piece that is sent when the gate opens.
  public static func when(_ gate: MockGate, _ data: Data) -> MockPiece {
    var piece = MockPiece(data)
    piece.gate = gate
    return piece
  }

  /// Returns a piece of UTF-8 text that is sent when the gate opens.
  public static func when(_ gate: MockGate, _ text: String) -> MockPiece {
    when(gate, Data(text.utf8))
  }

  /// Returns the same piece, sent byte by byte.
  func paced(_ pause: Duration?) -> MockPiece {
    var piece = self
    piece.pace = pause
    return piece
  }
}

/// The end of a body that arrives in pieces.
public enum BodyEnd: Sendable, Hashable, CaseIterable {
  /// The body ends as its framing says.
  case complete
  /// The connection is closed before the end of the body.
  case cut
  /// The connection is reset before the end of the body.
  case reset
  /// The server falls silent, until the client gives up or the server stops.
  case silence
}
