import Foundation
import RESTKit
import RESTKitReports

extension StubAPIResponse {
  /// Returns scripts that answer as recorded.
  ///
  /// There is one script for all exchanges with the same method, URL and body. So these are
  /// answered in their order, and others in any order.
  static func scripts(
    playing har: HAR, of file: RecordingFile, values: RecordedValues, location: StubLocation
  ) -> [StubAPIResponse] {
    var order: [JSONValue] = []
    var steps: [JSONValue: [StubStep]] = [:]
    for (index, entry) in har.entries.enumerated() {
      let request = entry.json["request"]
      let key: JSONValue = [
        "method": request?["method"] ?? .null, "url": request?["url"] ?? .null,
        "body": request?["postData"] ?? .null,
      ]
      if steps[key] == nil { order.append(key) }
      steps[key, default: []].append(
        StubStep(
          entry, as: RecordedRequest(entry, values: values), location: location,
          source: "\(file.name), entry \(index + 1)"))
    }
    return order.compactMap { key in steps[key].map { StubAPIResponse(steps: $0) } }
  }
}

extension StubStep {
  fileprivate init(
    _ entry: HAREntry, as request: RecordedRequest, location: StubLocation, source: String
  ) {
    let isCancelled = entry.json["response"]?["_end"] == "cancelled"
    self.init(
      request: StubRequest(request, description: "\(entry.request)"), statusCode: entry.statusCode,
      headers: entry.responseHeaders, result: .success(entry.responseBody), delay: .zero,
      location: location,
      source: source)
    recorded = request
    if entry.statusCode == 0 {
      let unknown = TransportError(
        kind: .other(code: 0), detail: "the recorded exchange failed, too",
        mayHaveBeenProcessed: true)
      result = .failure(
        isCancelled
          ? StubFault.stall : RESTError(entry.fault ?? unknown, request: entry.request))
      return
    }
    let end: RecordedEnd = isCancelled ? .open : entry.fault.map(RecordedEnd.failure) ?? .complete
    flow = StubFlow(pieces: entry.pieces, recordedEnd: end)
  }
}

extension HAREntry {
  /// The recorded pieces of the body, or one piece if the file has none.
  fileprivate var pieces: [StubPiece] {
    guard let recorded = json["response"]?["_pieces"]?.array else {
      return [StubPiece(responseBody)]
    }
    var rest = responseBody
    let pieces = recorded.map { piece in
      let data = rest.prefix(min(max(piece["size"]?.integer ?? 0, 0), rest.count))
      rest = rest.dropFirst(data.count)
      let wait = min(max(piece["wait"]?.number ?? 0, 0), 1e12)
      return StubPiece(Data(data), after: .milliseconds(wait))
    }
    return rest.isEmpty ? pieces : pieces + [StubPiece(Data(rest))]
  }
}
