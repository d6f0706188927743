import Foundation

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
    ///   - contentType: The media type. Nil means `application/octet-stream` for a file. A field has no
    ///     media type then, so that it is text.
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
      "\"\(name.escapedForMultipart.prefix(60))\""
    }

    /// Returns the lines before the content, from the delimiter to the empty line.
    ///
    /// - Throws: `RESTError` if the content type is not a media type: it could end its line and begin
    ///   another.
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
