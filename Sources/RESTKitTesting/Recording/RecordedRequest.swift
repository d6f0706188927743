import Foundation
import RESTKit
import RESTKitReports

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A request of a recording, to compare with a sent one.
struct RecordedRequest: Sendable {
  private enum Body: Sendable {
    case none
    case json(StubJSON)
    case form([StubField])
    case text(String)
    case bytes(Data)
    /// The size of a body that was too large to record.
    case size(Int)
  }

  let method: HTTPMethod
  let url: StubURL
  private let headers: HTTPHeaders
  private let body: Body
  private let values: RecordedValues

  init(_ entry: HAREntry, values: RecordedValues) {
    method = entry.request.method
    url = StubURL(entry.url.absoluteString)
    self.values = values
    let json = entry.json["request"]
    headers = HTTPHeaders(
      (json?["headers"]?.array ?? []).compactMap { field in
        guard let name = field["name"]?.string, let value = field["value"]?.string else {
          return nil
        }
        return (name: name, value: value)
      })
    body = Self.body(json?["postData"], size: json?["bodySize"]?.integer ?? 0)
  }

  private static func body(_ json: JSONValue?, size: Int) -> Body {
    guard let json else { return .none }
    if let bytes = json["_base64"]?.string.flatMap({ Data(base64Encoded: $0) }) {
      return .bytes(bytes)
    }
    guard let text = json["text"]?.string, !text.isEmpty else {
      return size > 0 ? .size(size) : .none
    }
    let type = json["mimeType"]?.string?.lowercased() ?? ""
    if type.hasPrefix("application/x-www-form-urlencoded") {
      return .form(StubField.form(Data(text.utf8)))
    }
    return StubJSON(Data(text.utf8)).map(Body.json) ?? .text(text)
  }

  /// Returns the differences to a sent request, apart from its method, scheme and host.
  func differences(from request: URLRequest) -> [StubDifference] {
    var match = values.match()
    return differences(from: request.comparable, &match).map(values.withoutSecrets)
  }

  /// Returns what a request that matches has in place of recorded values.
  func values(of request: URLRequest) -> PlayedValues {
    let sent = request.comparable
    var match = values.match()
    _ = differences(from: sent, &match)
    for (name, expected) in headers {
      _ = sent.value(forHTTPHeaderField: name).map { match.aligned($0, to: expected) }
    }
    return match.found
  }

  private func differences(
    from sent: URLRequest, _ match: inout RecordedMatch
  ) -> [StubDifference] {
    pathDifferences(StubURL(of: sent), &match) + headerDifferences(sent, &match)
      + bodyDifferences(sent.httpBody ?? Data(), &match)
  }

  private func pathDifferences(
    _ sent: StubURL, _ match: inout RecordedMatch
  ) -> [StubDifference] {
    let path = match.aligned(String(sent.path), to: String(url.path))
    let query = StubField.differences(
      of: "query", expected: url.queryItems,
      sent: match.aligned(sent.queryItems, to: url.queryItems), isExact: true)
    let expected = StubPath(exactly: String(url.path))
    guard !expected.matches(Substring(path)) else { return query }
    let weight = 1 + expected.distance(to: sent.path)
    return [
      StubDifference("path", expected: String(url.path), sent: String(sent.path), weight: weight)
    ] + query
  }

  /// The fields that change the response; other fields describe the client, or change each time.
  private static let comparedHeaders = [
    "Accept", "Authorization", "Content-Type", "Cookie", "If-Match", "If-Modified-Since",
    "If-None-Match", "Last-Event-ID", "Range",
  ]

  private func headerDifferences(
    _ request: URLRequest, _ match: inout RecordedMatch
  ) -> [StubDifference] {
    Self.comparedHeaders.compactMap { name in
      let expected = headers[name]
      let sent = request.value(forHTTPHeaderField: name)
      let other = sent.map { ExactText(match.aligned($0, to: expected ?? "")) }
      guard expected.map(ExactText.init) != other else { return nil }
      return StubDifference("header \(name)", expected: expected, sent: sent)
    }
  }

  private func bodyDifferences(
    _ sent: Data, _ match: inout RecordedMatch
  ) -> [StubDifference] {
    func difference(_ expected: String?) -> [StubDifference] {
      [StubDifference("body", expected: expected, sent: sent.isEmpty ? nil : "\(sent.count) bytes")]
    }
    switch body {
    case .none: return sent.isEmpty ? [] : difference(nil)
    case .size(let size): return sent.count == size ? [] : difference("\(size) bytes")
    case .bytes(let data):
      return match.matches(sent, data) ? [] : [StubDifference("body", data: data, sent: sent)]
    case .text(let text):
      let other = String(decoding: sent, as: UTF8.self)
      guard !match.aligned(other, to: text).isExactly(text) else { return [] }
      return [StubDifference("body", expected: text, sent: sent.isEmpty ? nil : other)]
    case .form(let fields):
      return StubField.differences(
        of: "form", expected: fields, sent: match.aligned(StubField.form(sent), to: fields),
        isExact: true)
    case .json(let json):
      guard let other = StubJSON(values.withoutSecretNumbers(sent)) else {
        return difference("JSON")
      }
      return json.differences(to: match.aligned(other, to: json), isPartial: false)
    }
  }
}

extension URLRequest {
  /// The request as it is recorded and compared: with its body decoded, and a fixed boundary
  /// instead of a random one.
  ///
  /// A body in another coding than gzip is left out, because secrets in it cannot be found.
  var comparable: URLRequest {
    guard let coding = value(forHTTPHeaderField: "Content-Encoding") else {
      return withFixedBoundary
    }
    var request = self
    request.httpBody = nil
    if coding.lowercased() == "gzip", let body = httpBody.flatMap({ Gunzip.decoded($0) }) {
      request.httpBody = body
      request.setValue(nil, forHTTPHeaderField: "Content-Encoding")
    }
    return request.withFixedBoundary
  }

  /// The same request with a fixed boundary instead of a random one.
  private var withFixedBoundary: URLRequest {
    guard let type = value(forHTTPHeaderField: "Content-Type"),
      type.lowercased().hasPrefix("multipart/"),
      let boundary = StubPart.parameter("boundary", of: type), !boundary.isEmpty
    else { return self }
    var request = self
    request.setValue(
      type.replacing(boundary, with: Self.fixedBoundary), forHTTPHeaderField: "Content-Type")
    request.httpBody = httpBody.map {
      $0.replacing(Data("--\(boundary)".utf8), with: Data("--\(Self.fixedBoundary)".utf8))
    }
    return request
  }

  private static let fixedBoundary = "recorded-boundary"
}
