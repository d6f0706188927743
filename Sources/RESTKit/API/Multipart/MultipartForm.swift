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
/// attempt, unless a file changes in between. An endpoint whose `body` is computed makes a new
/// form, with a new boundary, for each attempt.
///
/// Files are read in pieces while they are sent. A call fails with ``RESTError``
/// - of kind `file` if a file cannot be read, or has changed before its turn;
/// - of kind `invalidRequest` if a part's content type is not a media type (RFC 9110 §8.3.1), or if
///   the total length does not fit in an `Int64`.
///
/// The error names the part. Nothing is sent then, unless a file changes or becomes unreadable
/// while it is sent.
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
  ///   - generator: The source of the boundary. With any numbers, the boundary occurs in none of
  ///     the texts and bytes. Files are not read for this check, so their boundary must be
  ///     unpredictable.
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

extension MultipartForm {
  /// A field of a form: a name, and a text, bytes or a file.
  public struct Part: Sendable {
    enum Content: Sendable {
      case data(Data)
      case file(URL)
    }

    let content: Content
    private let name: String
    private let filename: String?
    private let contentType: String?

    private init(
      _ content: Content, name: String, filename: String? = nil, contentType: String? = nil
    ) {
      self.content = content
      self.name = name
      self.filename = filename
      self.contentType = contentType
    }

    /// A text, sent in UTF-8 with unchanged line breaks.
    public static func text(name: String, _ text: String) -> Part {
      Part(.data(Data(text.utf8)), name: name)
    }

    /// Bytes.
    ///
    /// - Parameters:
    ///   - name: The name of the field.
    ///   - data: The bytes.
    ///   - filename: The file name that the server receives; nil for a field that is no file.
    ///   - contentType: The media type. Nil means `application/octet-stream` for a file. A field
    ///     has no media type then, so that it is text.
    public static func data(
      name: String, _ data: Data, filename: String? = nil, contentType: String? = nil
    ) -> Part {
      Part(.data(data), name: name, filename: filename, contentType: contentType)
    }

    /// A file, read while it is sent.
    ///
    /// - Parameters:
    ///   - name: The name of the field.
    ///   - url: The URL of the file.
    ///   - filename: The file name that the server receives; nil for the file's own name.
    ///   - contentType: The media type; nil for `application/octet-stream`.
    public static func file(
      name: String, _ url: URL, filename: String? = nil, contentType: String? = nil
    ) -> Part {
      Part(
        .file(url), name: name, filename: filename ?? url.lastPathComponent,
        contentType: contentType)
    }

    /// The content, if it is in memory.
    var data: Data? {
      if case .data(let data) = content { data } else { nil }
    }

    /// The name for texts: quoted, on one line, and cut if it is long.
    var shownName: String {
      "\"\(String(name.escapedForMultipart.prefix(60)).printable)\""
    }

    /// Returns the lines before the content, from the delimiter to the empty line.
    ///
    /// - Throws: `RESTError` if the content type is not a media type: it could end its line and
    ///   begin another.
    func head(boundary: String, in request: RequestSummary?) throws(RESTError) -> String {
      var head = "--\(boundary)\r\n"
      head += "Content-Disposition: form-data; name=\"\(name.escapedForMultipart)\""
      if let filename { head += "; filename=\"\(filename.escapedForMultipart)\"" }
      if let type = contentType ?? filename.map({ _ in "application/octet-stream" }) {
        guard type.isMediaType else {
          throw RESTError(
            .invalidRequest,
            reason: "the request was not sent: the content type of the part \(shownName) is not a "
              + "media type",
            remedy: "Pass a type and a subtype, such as image/png, and parameters after a \";\".",
            request: request, attempts: 0)
        }
        head += "\r\nContent-Type: \(type)"
      }
      return head + "\r\n\r\n"
    }
  }
}

extension MultipartForm.Part: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// The name of the field; nothing of its content.
  public var description: String { "part \(shownName)" }

  public var debugDescription: String { description }

  // `dump` would print the content.
  public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension String {
  /// Whether this is a media type, with or without parameters (RFC 9110 §8.3.1).
  ///
  /// The parameters are not checked.
  fileprivate var isMediaType: Bool {
    let type = /[A-Za-z0-9!#$%&'*+.^_`|~-]+\/[A-Za-z0-9!#$%&'*+.^_`|~-]+([ \t]*;[\t -~]*)?/
    return wholeMatch(of: type.matchingSemantics(.unicodeScalar)) != nil
  }
}

/// The delimiter between the parts of a form (RFC 2046 §5.1.1).
enum MultipartBoundary {
  // 192 bits, so that nobody can prepare a file that contains the boundary.
  private static let length = 32
  private static let characters = Array(
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_")

  /// Returns a boundary that occurs in none of the contents.
  static func draw(
    absentFrom contents: [Data], using generator: inout some RandomNumberGenerator
  ) -> String {
    // Six bits for each character. `randomElement` would never end with a generator that returns
    // only zeros.
    let drawn = String(
      (0..<length).map { _ in characters[Int(truncatingIfNeeded: generator.next() & 63)] })
    var boundary = drawn
    var count = 0
    // This counts instead of drawing again: a generator may always return the same, but the
    // contents end.
    while contents.contains(where: { $0.range(of: Data(boundary.utf8)) != nil }) {
      count += 1
      boundary = "\(drawn)-\(count)"
    }
    return boundary
  }
}

extension String {
  /// The text as browsers write a name between its quotation marks.
  package var escapedForMultipart: String {
    guard utf8.contains(where: { $0 == 0x22 || $0 == 0x0D || $0 == 0x0A }) else { return self }
    var escaped = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "\"": escaped += "%22"
      case "\r": escaped += "%0D"
      case "\n": escaped += "%0A"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
