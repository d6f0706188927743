import Foundation
import RESTKit
import RESTKitReports

/// The way in which ``HARReplay`` divides recorded bodies into pieces.
public enum HARPieces: Sendable, Hashable {
  /// The body is one piece.
  case whole
  /// Pieces of this many bytes, at least one, that arrive at once. The last piece has the rest.
  case bytes(Int)
  /// This many pieces of nearly equal size, at least one, spread over the time in which the body
  /// was received: the `receive` of the entry's timings.
  case overReceiveTime(count: Int)
}

extension HARPieces {
  func divided(_ body: Data, of entry: HAREntry) -> [StubPiece] {
    switch self {
    case .whole: return [StubPiece(body)]
    case .bytes(let bytes): return Self.divided(body, size: bytes)
    case .overReceiveTime(let count):
      guard !body.isEmpty else { return [] }
      let number = min(max(count, 1), body.count)
      let (size, larger) = body.count.quotientAndRemainder(dividingBy: number)
      var rest = body
      return (0..<number).map { index in
        let piece = rest.prefix(index < larger ? size + 1 : size)
        rest = rest.dropFirst(piece.count)
        return StubPiece(Data(piece), after: entry.receiveTime / number)
      }
    }
  }

  private static func divided(_ body: Data, size: Int) -> [StubPiece] {
    // The size is at most that of the body, because the end of a piece could overflow otherwise.
    let size = max(min(size, body.count), 1)
    return stride(from: body.startIndex, to: body.endIndex, by: size).map { start in
      StubPiece(Data(body[start..<min(start + size, body.endIndex)]))
    }
  }
}

extension HAREntry {
  /// The time in which the body was received; zero if the file does not have it.
  fileprivate var receiveTime: Duration {
    guard let milliseconds = json["timings"]?["receive"]?.number,
      milliseconds > 0, milliseconds < 1e12
    else { return .zero }
    return .milliseconds(milliseconds)
  }
}
