import Foundation
import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension URLRequest {
  /// Returns this request as a `curl` command for a POSIX shell, to send it again by hand.
  ///
  /// ```text
  /// curl --request POST \
  ///   --header 'Authorization: <redacted>' \
  ///   --header 'Content-Type: application/json' \
  ///   --data-raw '{"user":"<redacted>"}' \
  ///   --url https://api.example.com/v1/login
  /// ```
  ///
  /// The shell runs only `curl`, and `printf` and `base64` for its input, regardless of the
  /// request's content. It passes the content to `curl` unchanged.
  ///
  /// - Parameters:
  ///   - body: A body that is sent besides the request. A file is named by its path. The chunks of
  ///     a publisher, and a body that is made for each attempt, are left to standard input.
  ///   - redaction: The values to hide; by default every value that could be a secret.
  public func curlCommand(
    body: RequestBody? = nil, redaction: Redaction = .strict
  ) -> String {
    var lines = [
      method == .head ? "curl --head" : "curl --request \(method.rawValue.shellWord)"
    ]
    let headers = HTTPHeaders(
      (allHTTPHeaderFields ?? [:]).sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    for (name, value) in redaction.fields(headers) {
      // curl removes a field for `Name:`, and sends a field without a value for `Name;`.
      let isBlank = value.allSatisfy { $0 == " " || $0 == "\t" }
      let line = isBlank ? "\(name);" : "\(name): \(value)"
      // curl would read a file whose name follows an @.
      if !line.hasPrefix("@") { lines.append("--header \(line.shellWord)") }
    }
    var input = ""
    if let sent = CurlBody(body, in: self, redaction: redaction) {
      // Without this, curl would add a content type of its own.
      if !headers.contains("Content-Type") { lines.append("--header Content-Type:") }
      lines.append(sent.argument)
      input = sent.input
    }
    let url = redaction.text(of: url)
    let isAsWritten = url.hasDotSegments ? "--path-as-is " : ""
    lines.append("--globoff \(isAsWritten)--url \(url.shellWord)")
    return input + lines.joined(separator: " \\\n  ")
  }
}

/// The body of a request in a curl command.
private struct CurlBody {
  let argument: String
  /// The command that makes curl's standard input, with a pipe at its end, or an empty text.
  let input: String

  /// - Returns: nil if there is no body.
  init?(_ body: RequestBody?, in request: URLRequest, redaction: Redaction) {
    if let file = body?.file {
      let name = redaction == .strict ? Redaction.mark : file.path
      self.init(argument: "--data-binary \("@\(name)".shellWord)", input: "")
    } else if let body, body.data == nil {
      self.init(argument: "--data-binary @-", input: "")
    } else if body != nil || request.httpBody?.isEmpty == false || request.announcesBody {
      let data = body?.data ?? request.httpBody ?? Data()
      self.init(data, in: request, redaction: redaction)
    } else {
      return nil
    }
  }

  private init(_ data: Data, in request: URLRequest, redaction: Redaction) {
    let type = request.value(forHTTPHeaderField: "Content-Type")
    let coding = request.value(forHTTPHeaderField: "Content-Encoding")
    let shown =
      redaction.body(data, contentType: type, contentEncoding: coding)
      ?? Data(Redaction.mark.utf8)
    // In a word, each character that is escaped costs the shell a process.
    if !shown.contains(0), let text = String(validating: shown, as: UTF8.self),
      text.unicodeScalars.lazy.filter(\.isEscapedInShellWord).prefix(101).count <= 100
    {
      // Linux limits one argument to 128 KiB. `printf` is part of the shell, which has no limit.
      if shown.count < 100_000 {
        self.init(argument: "--data-raw \(text.shellWord)", input: "")
      } else {
        self.init(argument: "--data-binary @-", input: "printf %s \(text.shellWord) | ")
      }
    } else {
      let text = shown.base64EncodedString().shellWord
      self.init(argument: "--data-binary @-", input: "printf %s \(text) | base64 -d | ")
    }
  }

  private init(argument: String, input: String) {
    self.argument = argument
    self.input = input
  }
}

extension String {
  /// This text as one word of a POSIX shell, which passes on exactly these characters.
  ///
  /// Words of characters that no shell touches stay unchanged. A `~` is not one of them, nor an
  /// `=`, which zsh replaces at a word's beginning. Control characters, and those that reorder the
  /// text around them, are written as calls of `printf`, so that the text can be pasted into a
  /// terminal and shown there safely. NUL is left out, since no argument can contain it.
  var shellWord: String {
    let isPlain =
      !isEmpty
      && utf8.allSatisfy {
        $0.isASCIILetter || $0.isASCIIDigit || "/:@%+,_-.".utf8.contains($0)
      }
    guard !isPlain else { return self }
    var word = "'"
    for scalar in unicodeScalars {
      switch scalar {
      case "'": word += #"'\''"#
      case "\0": continue
      // The shell only drops line feeds at the end of a command's output.
      case _ where scalar.isEscapedInShellWord:
        word += #"'"$(printf '\#(scalar.octalEscapes)')"'"#
      default: word.unicodeScalars.append(scalar)
      }
    }
    return word + "'"
  }
}

extension URLRequest {
  /// Whether the request has a `Content-Length` of 0 if it has no body (RFC 9110 §8.6).
  fileprivate var announcesBody: Bool {
    [.post, .put, .patch].contains(method) && httpBodyStream == nil
  }
}

extension String {
  /// Whether a segment of a URL's path is a dot or two, which curl would resolve.
  fileprivate var hasDotSegments: Bool {
    utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
      .split(separator: UInt8(ascii: "/"))
      .contains { segment in
        let text = String(Substring(segment)).lowercased().replacing("%2e", with: ".")
        return text == "." || text == ".."
      }
  }
}

extension Unicode.Scalar {
  /// Whether a word of a shell has a call of `printf` in the place of the character.
  fileprivate var isEscapedInShellWord: Bool { !isPrintable && self != "\n" && self != "\t" }

  /// The bytes of the scalar in UTF-8 as octal escapes, such as `\033`.
  fileprivate var octalEscapes: String {
    UTF8.encode(self).map { bytes in
      bytes.map { byte in
        let digits = String(byte, radix: 8)
        return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
      }.joined()
    } ?? ""
  }
}
