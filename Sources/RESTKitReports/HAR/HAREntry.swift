import Foundation
import RESTKit

/// One exchange of a ``HAR``, as the file shows it.
///
/// ```swift
/// for entry in recorder.har.entries where entry.statusCode >= 400 {
///   print(entry, entry.metrics.total ?? .zero, String(decoding: entry.responseBody, as: UTF8.self))
/// }
/// ```
///
/// A recorder has hidden secrets by its redaction. The file of another program may have more: only
/// the text forms of an entry hide all of it.
public struct HAREntry: Sendable, Equatable {
  /// The request, without any secret.
  public let request: RequestSummary
  /// The status of the response, or 0 if there was none.
  public let statusCode: Int
  /// The URL as written in the file, with its query.
  public let url: URL
  /// The response's header fields; none if there was no response.
  public let responseHeaders: HTTPHeaders
  /// The response's body, or empty if the file leaves it out.
  public let responseBody: Data
  /// The fault of an exchange without a whole response, if RESTKit recorded it.
  package let fault: TransportError?
  /// Whether a cache answered, so that nothing was sent.
  package var isFromCache: Bool { json["_fromCache"] != nil }
  /// The whole entry.
  package let json: JSONValue
  /// The numbers of the entry that differ from those of ``json``.
  let numbers: HARNumbers

  /// - Throws: ``HARError`` for the first part that cannot be replayed.
  package init(_ json: JSONValue, path: String) throws(HARError) {
    try self.init(json, numbers: HARNumbers(), path: path)
  }

  init(_ json: JSONValue, numbers: HARNumbers, path: String) throws(HARError) {
    self.json = json
    self.numbers = numbers
    let reader = HARReader(json: json, path: path)
    let text = try reader.string("request", "url")
    guard let url = URL(string: text), url.scheme != nil, url.host != nil else {
      throw HARError(path: "\(path).request.url", expectation: "an absolute URL")
    }
    self.url = url
    request = RequestSummary(method: HTTPMethod(try reader.string("request", "method")), url: url)
    statusCode = try reader.status("response", "status")
    responseHeaders = try reader.fields("response", "headers")
    responseBody = try reader.body("response", "content")
    fault = HARFault(json["response"]?["_fault"])?.fault
  }
}

extension HAREntry: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// A text such as `GET https://api.example.com/me → 401`.
  public var description: String {
    "\(request) → \(statusCode == 0 ? "failed" : "\(statusCode)")"
  }

  public var debugDescription: String { description }

  public var customMirror: Mirror {
    Mirror(self, children: ["request": request, "statusCode": statusCode])
  }
}

/// A reader for the parts of an entry.
///
/// Its errors name the invalid part.
private struct HARReader {
  let json: JSONValue
  let path: String

  func string(_ names: String...) throws(HARError) -> String {
    guard let text = value(names)?.string else { throw error(names, "a string") }
    return text
  }

  func status(_ names: String...) throws(HARError) -> Int {
    guard let status = value(names)?.integer, 0...999 ~= status else {
      throw error(names, "a status code")
    }
    return status
  }

  func fields(_ names: String...) throws(HARError) -> HTTPHeaders {
    guard let values = value(names)?.array else { throw error(names, "an array") }
    var fields = HTTPHeaders()
    for (index, value) in values.enumerated() {
      guard let name = value["name"]?.string, let text = value["value"]?.string else {
        throw error(names + ["\(index)"], "an object with a name and a value")
      }
      fields.append(name: name, value: text)
    }
    return fields
  }

  func body(_ names: String...) throws(HARError) -> Data {
    guard let content = value(names), content.object != nil else {
      throw error(names, "an object")
    }
    guard let text = content["text"] else { return Data() }
    guard let text = text.string else { throw error(names + ["text"], "a string") }
    guard content["encoding"]?.string == "base64" else { return Data(text.utf8) }
    guard let data = Data(base64Encoded: text) else { throw error(names + ["text"], "base64") }
    return data
  }

  private func value(_ names: [String]) -> JSONValue? {
    names.reduce(json as JSONValue?) { value, name in value?[name] }
  }

  private func error(_ names: [String], _ expectation: String) -> HARError {
    let parts = names.map { Int64($0) == nil ? ".\($0)" : "[\($0)]" }
    return HARError(path: path + parts.joined(), expectation: expectation)
  }
}
