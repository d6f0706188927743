import Foundation
import Streams

/// A form with texts, bytes and files, sent as `multipart/form-data` (RFC 7578).
///
/// ```swift
/// api.post(
///   endpoint: "photos",
///   body: .multipart([
///     .text(name: "title", "Rex"),
///     .file(name: "photo", file, contentType: "image/jpeg"),
///   ]))
/// ```
///
/// Names go out as browsers write them (WHATWG HTML, "multipart/form-data encoding algorithm"): in
/// UTF-8, with `%22` for a quotation mark, `%0D` and `%0A` for the two line breaks, and nothing else
/// changed.
///
/// The length is known before it is sent. A form that is kept sends the same bytes in each attempt, but
/// for a file that was changed in between; an endpoint whose `body` is computed makes another form, with
/// another boundary, for each.
///
/// Files are read while they are sent, a piece at a time. A call fails with ``RESTError``
/// - of kind `file` where a file cannot be read, or is not the same any more when its turn comes;
/// - of kind `invalidRequest` where a part's content type is none (RFC 9110 §8.3.1), or where all files
///   together are longer than can be said.
///
/// It names the part. Nothing is sent then, unless a file changes, or cannot be read on, while it is
/// sent.
public struct MultipartForm: Sendable {
  private let parts: [Part]
  private let boundary: String

  /// A form of these parts, in this order; a name may come more than once.
  public init(_ parts: [Part]) {
    var generator = SystemRandomNumberGenerator()
    self.init(parts, using: &generator)
  }

  /// A form of these parts whose boundary a generator draws: the same bytes for the same numbers.
  ///
  /// - Parameters:
  ///   - parts: The parts, in their order.
  ///   - generator: Where the boundary comes from. Whatever it gives, the boundary is in none of the
  ///     texts and bytes; for files, which are not read for it, it has to be unpredictable.
  public init(_ parts: [Part], using generator: inout some RandomNumberGenerator) {
    self.parts = parts
    boundary = MultipartBoundary.draw(absentFrom: parts.compactMap(\.data), using: &generator)
  }

  /// The value of `Content-Type`.
  var contentType: String { "multipart/form-data; boundary=\(boundary)" }

  /// The body for one request, with the files as they are now.
  ///
  /// - Parameter request: What an error names.
  func body(for request: RequestSummary?) throws(RESTError) -> RequestBody {
    var chunks: [AnyPublisher<Data, any Error>] = []
    var bytes = Data()
    var length: Int64 = 0
    func lengthen(by count: Int64) throws(RESTError) {
      let (sum, overflows) = length.addingReportingOverflow(count)
      guard !overflows else {
        throw RESTError(
          .invalidRequest,
          reason: "the request was not sent: its form is longer than \(Int64.max) bytes",
          remedy: "Send fewer files, or smaller ones.", request: request, attempts: 0)
      }
      length = sum
    }
    func endBytes() throws(RESTError) {
      try lengthen(by: Int64(bytes.count))
      chunks.append(Just(bytes).setFailureType(to: (any Error).self).eraseToAnyPublisher())
      bytes = Data()
    }
    for part in parts {
      bytes += try part.head(boundary: boundary, in: request).utf8
      switch part.content {
      case .data(let data):
        bytes += data
      case .file(let url):
        let file = try MultipartFile(url, part: part.shownName, request: request)
        try endBytes()
        try lengthen(by: file.length)
        chunks.append(file.chunks)
      }
      bytes += "\r\n".utf8
    }
    bytes += "--\(boundary)--\r\n".utf8
    guard !chunks.isEmpty else { return .data(bytes) }
    try endBytes()
    return .chunks(chunks.concatenated(), length: length, isReplayable: true)
  }
}

extension MultipartForm: ExpressibleByArrayLiteral {
  public init(arrayLiteral parts: Part...) {
    self.init(parts)
  }
}

extension MultipartForm: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// How many parts there are; nothing of them.
  public var description: String { "form of \(parts.count) parts" }

  public var debugDescription: String { description }

  // `dump` would print the parts.
  public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
