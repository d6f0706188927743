import Foundation
import RESTKit
import RESTKitTesting
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension TransportMutant {
  static var ofResponses: [TransportMutant] {
    let other = Data("other".utf8)
    return [
      response(.statuses, "changes a status", "599") {
        $0.statusCode == 599 ? $0.with(status: 500) : $0
      },
      response(.statuses, "changes the body of one", "the body of a 418") {
        $0.statusCode == 418 ? $0.with(data: other) : $0
      },
      response(.statuses, "has another URL", "the URL that answered") {
        $0.with(url: $0.url.appendingPathComponent("more"))
      },
      response(.statuses, "loses the headers", "the headers") { $0.with(headers: [:]) },
      response(.headerLines, "turns the lines around", "each line") {
        $0.with(headers: HTTPHeaders($0.headers.reversed()))
      },
      response(.headerLines, "leaves out empty lines", "each line") {
        $0.with(headers: HTTPHeaders($0.headers.filter { !$0.value.isEmpty }))
      },
      response(.bodiless, "makes a body for HEAD", "no body of HEAD /") {
        $0.request.method == .head ? $0.with(data: other) : $0
      },
      response(.bodiless, "makes a body for 304", "no body of GET /304") {
        $0.statusCode == 304 ? $0.with(data: other) : $0
      },
      response(.bodiless, "takes a 204 for a 200", "/204") {
        $0.statusCode == 204 ? $0.with(status: 200) : $0
      },
      response(.bodiless, "takes a part of the next body", "the next response whole") {
        $0.url.path == "/next" ? $0.with(data: $0.data.dropFirst()) : $0
      },
      response(.codings, "does not unpack", "the text of /deflate") {
        $0.url.path == "/deflate" ? $0.with(data: other) : $0
      },
      response(.codings, "unpacks a part", "the text of /gzip") {
        $0.with(data: $0.data.dropLast())
      },
      fault(.codings, "has another kind for it", "undecodableBody") { $0.with(kind: .bodyCut) },
      success(.codings, "a fault for /broken"),
      TransportMutant(
        .codings, "delivers what it cannot unpack", "a fault for /unheard-of",
        call: { transport, request in
          guard request.path == "/unheard-of" else { return transport.response(for: request) }
          return transport.response(for: try request.bare("/gzip"))
        }),
      success(.packedCut, "a fault: compressed data that end early"),
      fault(.packedCut, "has another kind for it", "bodyCut or undecodableBody") {
        $0.with(kind: .malformedResponse)
      },
      response(.redirects, "changes a status", "308") {
        $0.statusCode == 308 ? $0.with(status: 307) : $0
      },
      response(.redirects, "loses the place", "its Location") { $0.with(headers: [:]) },
      following(.redirects, "looks where it leads", "no second request", to: "/200"),
      response(.challenges, "changes the status", "401") { $0.with(status: 200) },
      response(.challenges, "changes a proxy's status", "407") {
        $0.statusCode == 407 ? $0.with(status: 401) : $0
      },
      response(.challenges, "changes the body", "its body") { $0.with(data: other) },
      following(.challenges, "answers", "one request for each", to: "/"),
      request(.cookies, "has a cookie", "no Cookie") {
        $0.setValue("a=1", forHTTPHeaderField: "Cookie")
      },
      request(.cache, "asks for what is new", "no condition") {
        $0.setValue("\"v1\"", forHTTPHeaderField: "If-None-Match")
      },
      response(.cache, "delivers another response", "a fresh response") {
        $0.with(data: Data("0".utf8))
      },
    ]
  }

  /// Sends one more request after each response, and delivers that response.
  static func following(
    _ rule: TransportRule, _ name: String, _ finding: String, to path: String
  ) -> TransportMutant {
    TransportMutant(
      rule, name, finding,
      call: { transport, request in
        let more = try request.bare(path)
        return transport.response(for: request).flatMap { response in
          transport.response(for: more).map { _ in response }
        }.eraseToAnyPublisher()
      })
  }

  static var ofLimits: [TransportMutant] {
    var other = TransportMutant(
      .bodyLimit, "tells other limits", "the limits that it was made with")
    other.limits = { limits in
      var limits = limits
      limits.bodyBytes += 1
      return limits
    }
    return [
      other,
      fault(.bodyLimit, "names another limit", "limitExceeded(errorBodyBytes) for /404/1001") {
        $0.kind == .limitExceeded(.errorBodyBytes)
          ? $0.with(kind: .limitExceeded(.bodyBytes)) : $0
      },
      fault(.bodyLimit, "says that nothing was processed", "limitExceeded(bodyBytes)") {
        $0.with(processed: false)
      },
      fault(.bodyLimit, "has another status", "the status /500/20000") {
        $0.statusCode == 500 ? $0.with(status: 404) : $0
      },
      success(.bodyLimit, "/200/10001 is too much"),
      TransportMutant(
        .bodyLimit, "does not count chunks", "/200/10001?chunked is too much",
        call: { transport, request in
          guard request.url?.query == "chunked" else { return transport.response(for: request) }
          return transport.response(for: try request.bare("/200/1"))
        }),
      response(.bodyLimit, "has a lower limit", "a response") {
        guard $0.data.count < 10_000 else { throw BreakError() }
        return $0
      },
      response(.bodyLimit, "has a lower limit for errors", "a response") {
        guard $0.isSuccess else { throw BreakError() }
        return $0
      },
      success(.headerLimit, "/count is too much"),
      fault(.headerLimit, "names another limit", "limitExceeded(headerBytes)") {
        $0.with(kind: .limitExceeded(.headerCount))
      },
      fault(.headerLimit, "names one limit", "limitExceeded(headerCount)") {
        $0.with(kind: .limitExceeded(.headerBytes))
      },
      response(.headerLimit, "loses the last line", "all lines within the limit") {
        $0.with(headers: HTTPHeaders($0.headers.filter { $0.name != "X-79" }))
      },
      TransportMutant(
        .deadline, "ends too early", "no end before 120 ms",
        call: { _, _ in throw TransportError(kind: .timedOut, mayHaveBeenProcessed: true) }),
      fault(.deadline, "has another kind for it", "timedOut, which") {
        $0.with(kind: .connectionReset)
      },
      fault(.deadline, "says that nothing was processed", "timedOut, which") {
        $0.with(processed: false)
      },
      success(.deadline, "a fault: a time of 120 ms"),
      faultInPieces(.silence, "has another kind for it", "timedOut for /hang") {
        $0.with(kind: .connectionReset)
      },
      pieces(.silence, "changes the bytes", "the beginning of the body before it") {
        if case .chunk(let bytes) = $0 { [.chunk(Data(bytes.reversed()))] } else { [$0] }
      },
      TransportMutant(
        .silence, "takes a stall for the end", "a fault for /stall",
        exchange: { transport, request, body in
          let events = transport.events(for: request, body: body)
          guard request.path == "/stall" else { return events }
          return events.catch { _ in Empty<TransferEvent, any Error>() }.eraseToAnyPublisher()
        }),
    ]
  }
}
