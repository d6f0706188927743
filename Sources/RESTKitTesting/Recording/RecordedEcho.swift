import Foundation
import RESTKit
import Streams

/// A recorded response with what the client sent in place of recorded secrets and ports.
///
/// So the `state` of a sign-in comes back, although each run has another one.
struct RecordedEcho {
  /// The format around a placeholder.
  private enum Format {
    case url
    case field
    case json
    case markup
    case text
  }

  private let placeholders: RecordedPlaceholders
  private let played: PlayedValues
  private let ports: TextSearch
  private let portValues: [[UInt8]]

  init(_ placeholders: RecordedPlaceholders, _ played: PlayedValues) {
    self.placeholders = placeholders
    self.played = played
    let spellings = played.ports.sorted { $0.key < $1.key }.flatMap { recorded, sent in
      ["127.0.0.1:", "localhost:", "[::1]:", "127.0.0.1%3A", "localhost%3A"].map {
        (recorded: $0 + recorded, sent: $0 + sent)
      }
    }
    ports = TextSearch(spellings.map(\.recorded))
    portValues = spellings.map { Array($0.sent.utf8) }
  }

  /// Returns a step that answers so.
  func step(_ step: StubStep) -> StubStep {
    var echoing = step
    let type = step.headers["Content-Type"]?.lowercased() ?? ""
    let format: Format =
      type.contains("json")
      ? .json : type.contains("xml") || type.contains("html") ? .markup : .text
    var length: (old: Int, new: Int)?
    if let flow = step.flow, let end = flow.recordedEnd {
      let body = flow.pieces.reduce(into: Data()) { $0 += $1.data }
      let other = self.body(body, format)
      length = (body.count, other.count)
      echoing.flow = StubFlow(
        pieces: other == body ? flow.pieces : StubPiece.pieces(of: other, cutAs: flow.pieces),
        recordedEnd: end)
    }
    echoing.headers = HTTPHeaders(
      step.headers.map { name, value in
        if let length, HTTPHeaders.isSameName(name, "Content-Length"), value == "\(length.old)" {
          return (name, "\(length.new)")
        }
        let isURL = Self.urlFields.contains { HTTPHeaders.isSameName($0, name) }
        return (name, text(value, isURL ? .url : .field))
      })
    return echoing
  }

  /// Returns a token with the values that the client sent in its claims, such as a `nonce`.
  func token(_ token: JSONWebToken) -> JSONWebToken { token.with(body(token.claims, .json)) }

  private static let urlFields = ["Location", "Content-Location", "Link", "Referer"]

  private func text(_ text: String, _ format: Format) -> String {
    String(decoding: bytes(Array(text.utf8), format), as: UTF8.self)
  }

  private func body(_ body: Data, _ format: Format) -> Data { Data(bytes(Array(body), format)) }

  private func bytes(_ bytes: [UInt8], _ format: Format) -> [UInt8] {
    var result: [UInt8] = []
    var start = 0
    for (placeholder, range) in placeholders.places(in: bytes) {
      guard let other = value(of: placeholder, in: bytes, at: range, format) else { continue }
      result += bytes[start..<range.lowerBound] + other
      start = range.upperBound
    }
    result += bytes[start...]
    guard !portValues.isEmpty else { return result }
    return ports.replacing(in: result) { index, range in
      let isWhole = range.upperBound == result.count || !result[range.upperBound].isASCIIDigit
      return isWhole ? portValues[index] : nil
    }
  }

  /// Returns what stands in place of a placeholder, or nil to keep it.
  private func value(
    of placeholder: String, in bytes: [UInt8], at range: Range<Int>, _ format: Format
  ) -> [UInt8]? {
    guard let value = played.texts[placeholder] else {
      return JSONWebToken(placeholder).map { Array(token($0).text.utf8) }
    }
    guard !value.allSatisfy(\.isUnreserved), let text = String(validating: value, as: UTF8.self)
    else { return value }
    let isInFields = format == .url || bytes[..<range.lowerBound].last == UInt8(ascii: "=")
    switch format {
    case _ where isInFields: return Array(text.inFields.utf8)
    case .json: return Array(text.inJSON.utf8)
    case .markup: return Array(text.inMarkup.utf8)
    // A line of a header has no control characters.
    case .field: return value.contains { $0 < 0x20 } ? Array(text.inFields.utf8) : value
    case .url, .text: return value
    }
  }
}

/// A world that plays a recording from memory.
final class RecordedWorld: StubWorld {
  private let memory: StubMemory
  private let values: RecordedValues

  init(_ memory: StubMemory, _ values: RecordedValues) {
    self.memory = memory
    self.values = values
  }

  var limits: TransportLimits { memory.limits }

  var clock: any Scheduler { memory.clock }

  func answer(_ played: PlayedExchange) -> AnyPublisher<RESTResponse, any Error> {
    memory.answer(values.echoing(played))
  }

  func pieces(_ played: PlayedExchange) -> AnyPublisher<TransferEvent, any Error> {
    memory.pieces(values.echoing(played))
  }
}
