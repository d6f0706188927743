import Foundation
import RESTKit

/// What a server does with one request.
struct LiveScript: Sendable {
  enum Ending: Sendable {
    case finish
    case fault(TransportError.Kind, mayHaveBeenProcessed: Bool)
    /// Nothing comes any more.
    case silence
  }

  enum Piece: Sendable {
    case head
    case chunk([UInt8])
    case end(Ending)
  }

  /// Nil if the response has no head.
  var status: Int?
  var headers: HTTPHeaders = [:]
  /// The body of a response that is accepted.
  var body: LiveBody?
  /// The place in the body from which the response goes on.
  var from = 0
  /// The value that the end of the response completes.
  var last: String?
  /// Whether it says that the reader has the whole file.
  var isNothingNew = false
  var pieces: [(delay: Duration, piece: Piece)] = []

  /// A response without a head.
  static func headless(
    _ ending: Ending, after delay: Duration
  ) -> LiveScript {
    LiveScript(pieces: [(delay, .end(ending))])
  }

  /// A response whose body is refused, whose bytes drip.
  static func refused(
    _ status: Int, _ headers: HTTPHeaders = [:], isQuiet: Bool, after delay: Duration,
    _ draw: inout Draw
  ) -> LiveScript {
    var script = LiveScript(status: status, headers: headers, pieces: [(delay, .head)])
    let ending = draw.pick(
      [.finish, .finish, .silence, .fault(.connectionReset, mayHaveBeenProcessed: true)]
        as [Ending])
    for byte in "{\"reason\": 1}".utf8.prefix(draw.pick([0, 1, 13])) {
      script.pieces.append((.milliseconds(100), .chunk([byte])))
    }
    // A byte now and then, without an end.
    if !isQuiet, draw.chance(15) {
      for _ in 0..<140 { script.pieces.append((.milliseconds(100), .chunk([0x20]))) }
    }
    script.pieces.append((.zero, .end(isQuiet ? .finish : ending)))
    return script
  }

  /// Cuts a body into chunks, and ends it.
  ///
  /// - Parameter delays: Those that chunks are drawn to have.
  static func content(
    _ status: Int, _ headers: HTTPHeaders, _ body: LiveBody, from: Int = 0, isQuiet: Bool,
    isTroubled: Bool, after delay: Duration, _ draw: inout Draw
  ) -> LiveScript {
    var script = LiveScript(
      status: status, headers: headers, body: body, from: from, last: body.last,
      pieces: [(delay, .head)])
    var rest = body.bytes[from...]
    let ending: Ending =
      if isQuiet || !isTroubled {
        .finish
      } else {
        draw.pick(
          [
            .finish, .finish, .silence, .fault(.connectionReset, mayHaveBeenProcessed: true),
            .fault(.bodyCut, mayHaveBeenProcessed: true),
          ])
      }
    if isTroubled, !isQuiet {
      let isWhole = if case .finish = ending { true } else { draw.chance(20) }
      // At any byte: within a character, or between CR and LF. A body ends as it should, but an
      // event stream may end anywhere.
      if !isWhole || headers["Content-Type"] == "text/event-stream" && draw.chance(30) {
        rest = rest.prefix(draw.number(0...rest.count))
      }
    }
    let delays: [Duration] =
      isQuiet
      ? [.zero]
      : draw.pick([[.zero], [.zero, .milliseconds(250)], [.zero, .seconds(1), .seconds(5)]])
    let size = draw.pick([1, 7, 40, 300, 4_000])
    while !rest.isEmpty {
      let count = max(draw.number(1...size), rest.count / 12)
      script.pieces.append((draw.pick(delays), .chunk(Array(rest.prefix(count)))))
      rest = rest.dropFirst(count)
    }
    script.pieces.append((draw.pick(delays), .end(ending)))
    return script
  }
}
