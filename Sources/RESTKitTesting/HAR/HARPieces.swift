import Foundation
import RESTKit
import RESTKitReports

/// How ``HARReplay`` divides recorded bodies for who takes them in pieces.
public enum HARPieces: Sendable, Hashable {
  /// Not at all.
  case whole
  /// Into pieces of so many bytes, at least one, that come at once; the last has what is left.
  case bytes(Int)
  /// Into so many pieces, at least one, as even as can be, over the time in which the body was
  /// received: the `receive` of the entry's timings.
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
    // No larger than the body: the end of a piece could not be counted otherwise.
    let size = max(min(size, body.count), 1)
    return stride(from: body.startIndex, to: body.endIndex, by: size).map { start in
      StubPiece(Data(body[start..<min(start + size, body.endIndex)]))
    }
  }
}

extension HAREntry {
  /// How long the body took; zero where the file does not tell.
  fileprivate var receiveTime: Duration {
    guard let milliseconds = json["timings"]?["receive"]?.number,
      milliseconds > 0, milliseconds < 1e12
    else { return .zero }
    return .milliseconds(milliseconds)
  }
}
