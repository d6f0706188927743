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
/// Names are encoded as browsers do it (WHATWG HTML, "multipart/form-data encoding algorithm"): in
/// UTF-8, with `%22` for a quotation mark, `%0D` and `%0A` for the two line breaks, and no other
/// change.
///
/// The length is known before the form is sent. A form that is stored sends the same bytes in each
/// attempt, unless a file changes in between. An endpoint whose `body` is computed makes a new form,
/// with a new boundary, for each attempt.
///
/// Files are read in pieces while they are sent. A call fails with ``RESTError``
/// - of kind `file` if a file cannot be read, or has changed before its turn;
/// - of kind `invalidRequest` if a part's content type is not a media type (RFC 9110 §8.3.1), or if the
///   total length does not fit in an `Int64`.
///
/// The error names the part. Nothing is sent then, unless a file changes or becomes unreadable while it
/// is sent.
public struct MultipartForm: Sendable {
  private let parts: [Part]
  private let boundary: String

  /// Creates a form of parts, in this order.
  ///
  /// A name may occur more than once.
  public init(_ parts: [Part]) {
    var generator = SystemRandomNumberGenerator()
    self.init(parts, using: &generator)
  }

  /// Creates a form of parts with a boundary from a generator.
  ///
  /// The same numbers give the same bytes.
  ///
  /// - Parameters:
  ///   - parts: The parts, in their order.
  ///   - generator: The source of the boundary. With any numbers, the boundary occurs in none of the
  ///     texts and bytes. Files are not read for this check, so their boundary must be unpredictable.
  public init(_ parts: [Part], using generator: inout some RandomNumberGenerator) {
    self.parts = parts
    boundary = MultipartBoundary.draw(absentFrom: parts.compactMap(\.data), using: &generator)
  }

  /// The value of `Content-Type`.
  var contentType: String { "multipart/form-data; boundary=\(boundary)" }

  /// Returns the body for one request, with the files as they are now.
  ///
  /// - Parameter request: The request in error texts.
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
  /// The number of parts, without their contents.
  public var description: String { "form of \(parts.count) parts" }

  public var debugDescription: String { description }

  // `dump` would print the parts.
  public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
