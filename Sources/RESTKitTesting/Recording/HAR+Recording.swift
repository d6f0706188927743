import Foundation
import RESTKit
import RESTKitReports

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension HAR {
  /// Creates a file of recorded exchanges without their secrets, in the order in which they began.
  ///
  /// - Parameter standIn: Returns the placeholder for a secret; nil for one of the recording's own.
  init(
    recording exchanges: [RecordedExchange], names: RecordedNames,
    standIn: (RecordedSecret) -> String? = { _ in nil }
  ) {
    let names = names.adding(exchanges.flatMap { $0.declaredSecrets?.names ?? [] })
    var traffic: Data?
    self = withoutActuallyEscaping(standIn) { standIn in
      let mask = SecretMask(names, standIn: standIn) { text in
        let known = traffic ?? exchanges.reduce(into: Data()) { $0 += $1.traffic }
        traffic = known
        return known.range(of: Data(text.utf8)) != nil
      }
      let named = exchanges.map { $0.maskedByName(with: mask) }
      let byValue = mask.byValue
      return HAR(
        entries: named.compactMap { HAREntry($0.maskedByValue(with: byValue)) },
        log: [
          RecordedPlaceholders.member: .array(mask.placeholders.map(JSONValue.string)),
          RecordedNames.member: .array(names.secrets.sorted().map(JSONValue.string)),
        ])
    }
  }
}

extension HAREntry {
  /// Returns nil for a request without a URL, which was never sent.
  fileprivate init?(_ exchange: RecordedExchange) {
    let requestBody = exchange.request.httpBody ?? Data()
    let isKept = requestBody.count <= exchange.limit
    let recording = HARRecording(
      request: exchange.request,
      requestBody: isKept ? HARBody(requestBody) : HARBody(unkeptOfSize: Int64(requestBody.count)),
      start: exchange.start, outcome: exchange.outcome, duration: exchange.duration, metrics: nil)
    guard var json = HAREntry(recording, redaction: .none)?.json else { return nil }
    // HAR has no encoding for bodies of requests.
    if isKept, String(validating: requestBody, as: UTF8.self) == nil {
      json["request"]?["postData"]?["_base64"] = .string(requestBody.base64EncodedString())
    }
    json["response"]?["_pieces"] = exchange.piecesJSON
    switch exchange.end {
    case .cancelled: json["response"]?["_end"] = "cancelled"
    case .failure(let error):
      json["response"]?["_fault"] = error.transportError.map { HARFault($0).json }
    case .complete, .pending: break
    }
    try? self.init(json, path: "entry")
  }
}

extension RecordedExchange {
  /// All texts of the exchange.
  fileprivate var traffic: Data {
    let request = request.comparable
    let fields =
      (request.allHTTPHeaderFields ?? [:]).map(\.value) + (head?.headers.map(\.value) ?? [])
    let texts = [request.url?.absoluteString ?? ""] + fields
    return Data(texts.joined(separator: "\n").utf8) + (request.httpBody ?? Data()) + body
  }

  fileprivate var outcome: HARRecording.Outcome {
    if let head { return .response(head, body: HARBody(body)) }
    switch end {
    case .failure(let error): return .failure(error)
    case .pending, .complete, .cancelled: return .failure(CancellationError())
    }
  }

  /// The sizes of the pieces in bytes, and the waits before them in milliseconds; nil for one piece
  /// that came at once.
  fileprivate var piecesJSON: JSONValue? {
    guard isInPieces, !pieces.isEmpty else { return nil }
    return .array(
      pieces.map { piece in
        [
          "size": .integer(Int64(piece.data.count)),
          "wait": JSONValue(Double(piece.wait.inMicroseconds) / 1_000),
        ]
      })
  }

  fileprivate func maskedByName(with mask: SecretMask) -> RecordedExchange {
    var masked = self
    masked.request = mask.maskedByName(request)
    if let head {
      masked.head = head.with(mask.maskedByName(head.headers))
      masked.replaceBody(
        with: mask.body(body, type: head.headers["Content-Type"], in: .response))
    }
    return masked
  }

  fileprivate func maskedByValue(with mask: SecretValueMask) -> RecordedExchange {
    var masked = self
    for (name, value) in request.allHTTPHeaderFields ?? [:] {
      masked.request.setValue(mask.masked(value), forHTTPHeaderField: name)
    }
    masked.request.url = request.url.flatMap { URL(string: mask.url($0.absoluteString)) }
    masked.request.httpBody = request.httpBody.map {
      mask.body($0, type: request.value(forHTTPHeaderField: "Content-Type"))
    }
    if let head {
      masked.replaceBody(with: mask.body(body, type: head.headers["Content-Type"]))
      var headers = HTTPHeaders(
        head.headers.map { (name: $0.name, value: mask.masked($0.value)) })
      // The length is that of the client's body: its encoding is decoded, and placeholders have
      // other lengths. Without a body, it is that of another response (RFC 9110 §8.6).
      if case .complete = end, headers.contains("Content-Length"), !masked.pieces.isEmpty,
        HTTPStatus.allowsBody(head.statusCode, to: request.httpMethod)
      {
        headers["Content-Length"] = "\(masked.body.count)"
      }
      masked.head = head.with(headers)
    }
    if case .failure(let error) = end, let fault = error.transportError {
      let safe = TransportError(
        kind: fault.kind, detail: mask.masked(fault.detail),
        mayHaveBeenProcessed: fault.mayHaveBeenProcessed, statusCode: fault.statusCode)
      masked.end = .failure(RESTError(safe, request: RequestSummary(masked.request)))
    }
    return masked
  }

  /// Replaces the body with another one of the same number of lines, cut into pieces at the same
  /// places.
  private mutating func replaceBody(with other: Data) {
    guard other != body else { return }
    pieces = StubPiece.pieces(of: other, cutAs: pieces)
  }
}

extension StubPiece {
  /// Returns the pieces of a body, cut at the same places as those of another one with the same
  /// number of lines.
  static func pieces(of other: Data, cutAs pieces: [StubPiece]) -> [StubPiece] {
    let old = pieces.reduce(into: Data()) { $0 += $1.data }
    let (oldStarts, newStarts) = (lineStarts(old), lineStarts(other))
    var (cut, place, line) = (0, 0, 0)
    return pieces.enumerated().map { index, piece in
      cut += piece.data.count
      while line + 1 < min(oldStarts.count, newStarts.count), oldStarts[line + 1] <= cut {
        line += 1
      }
      let lineEnd = line + 1 < newStarts.count ? newStarts[line + 1] : other.count
      let isLast = index == pieces.count - 1
      let end =
        isLast ? other.count : max(min(newStarts[line] + cut - oldStarts[line], lineEnd), place)
      defer { place = end }
      return StubPiece(Data(other.dropFirst(place).prefix(end - place)), after: piece.wait)
    }
  }

  private static func lineStarts(_ data: Data) -> [Int] {
    [0] + data.enumerated().filter { $0.element == UInt8(ascii: "\n") }.map { $0.offset + 1 }
  }
}

extension ResponseHead {
  fileprivate func with(_ headers: HTTPHeaders) -> ResponseHead {
    ResponseHead(url: url, statusCode: statusCode, httpVersion: httpVersion, headers: headers)
  }
}
