import Foundation
import RESTKit

/// A body as a server sends it: its pieces and its end.
struct StubFlow: Sendable {
  let pieces: [StubPiece]
  let end: BodyEnd
  /// The end of a recorded body; nil if it was not recorded.
  let recordedEnd: RecordedEnd?

  init(pieces: [StubPiece], end: BodyEnd) {
    self.pieces = pieces
    self.end = end
    recordedEnd = nil
  }

  init(pieces: [StubPiece], recordedEnd: RecordedEnd) {
    self.pieces = pieces
    end = .complete
    self.recordedEnd = recordedEnd
  }

  /// Returns the part of the body that a client gets with these header fields.
  ///
  /// If the body reaches the announced length, it is whole; if not, it is cut (RFC 9112 §6.3).
  func announced(by headers: HTTPHeaders) -> StubFlow {
    guard recordedEnd == nil, !headers.contains("Transfer-Encoding"),
      var left = MockFieldSyntax.length(in: headers.values(for: "Content-Length"))
    else { return self }
    var kept: [StubPiece] = []
    for piece in pieces where left > 0 {
      kept.append(StubPiece(Data(piece.data.prefix(left)), after: piece.wait))
      left -= piece.data.count
    }
    return StubFlow(pieces: kept, end: left <= 0 ? .complete : end == .complete ? .cut : end)
  }
}

/// The event after the last piece of a recorded body.
enum RecordedEnd: Sendable {
  /// The end of the body.
  case complete
  case failure(TransportError)
  /// The client canceled before the end.
  case open
}

extension BodyEnd {
  /// The fault of this end; nil if there is none.
  var fault: StubFault? {
    switch self {
    case .complete: nil
    case .cut: .bodyCut
    case .reset: .resetInBody
    case .silence: .stallInBody
    }
  }
}

extension StubFault {
  /// The end of the body; nil if the fault sends no body.
  var bodyEnd: BodyEnd? {
    switch self {
    case .bodyCut, .chunkCut: .cut
    case .resetInBody: .reset
    case .stallInBody: .silence
    default: nil
    }
  }
}
