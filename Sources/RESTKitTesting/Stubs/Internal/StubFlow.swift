import Foundation
import RESTKit

/// A body as a server sends it: in pieces, and with an end.
struct StubFlow: Sendable {
  let pieces: [StubPiece]
  let end: BodyEnd
  /// How it ended when it was recorded; nil where it was not.
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

  /// What of it a client gets whom these fields tell a length: with as many bytes the body is whole, and
  /// with fewer it is cut (RFC 9112 §6.3).
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

/// What came behind the last piece of a recorded body.
enum RecordedEnd: Sendable {
  /// The end of the body.
  case complete
  case failure(TransportError)
  /// Nothing that anybody waited for.
  case open
}

extension BodyEnd {
  /// What goes wrong then; nil where nothing does.
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
  /// How the body ends; nil where there is none.
  var bodyEnd: BodyEnd? {
    switch self {
    case .bodyCut, .chunkCut: .cut
    case .resetInBody: .reset
    case .stallInBody: .silence
    default: nil
    }
  }
}
