import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

@testable import HTTPTransport
@testable import HTTPWire
@testable import IdentityKit
@testable import RESTKit
@testable import RESTKitReports

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A value of each public type, made from nothing but secrets wherever it takes one.
struct CanarySamples {
  private(set) var values: [(type: String, value: Any)] = []

  private static let url = URL(
    string: "https://user:\(Canary.secret)@h.example/a?key=\(Canary.secret)#\(Canary.secret)")
  static let body = Data(#"{"detail": "\#(Canary.secret)", "status": 401}"#.utf8)
  static let headers: HTTPHeaders = [
    "Content-Type": "application/problem+json", "Authorization": "Bearer \(Canary.secret)",
    "Cookie": Canary.secret, "Set-Cookie": "sid=\(Canary.secret)", "X-Api-Key": Canary.secret,
    "X-Auth-Token": Canary.secret, "Proxy-Authorization": Canary.secret,
  ]

  /// The request with a secret in each part that can have one.
  static func request() throws -> URLRequest {
    var request = URLRequest(url: try #require(url))
    request.httpMethod = "POST"
    for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
    request.httpBody = body
    return request
  }

  mutating func add(_ type: String, _ samples: Any...) {
    values += samples.map { (type, $0) }
  }

  init() throws {
    let url = try #require(Self.url)
    let request = try Self.request()
    let summary = RequestSummary(request)
    let head = ResponseHead(url: url, statusCode: 401, headers: Self.headers)
    let response = RESTResponse(head: head, data: Self.body, request: summary)
    let refused = RESTError(unacceptable: response)
    let fault = TransportError(
      kind: .timedOut, detail: "GET /a?key=\(Canary.secret)", mayHaveBeenProcessed: true)
    let credential = Credential(accessToken: Canary.secret, refreshToken: Canary.secret)
    add("RequestSummary", summary)
    add("HTTPHeaders", Self.headers)
    add("ResponseHead", head)
    add("RESTResponse", response)
    add(
      "RESTError", refused, RESTError(fault, request: summary),
      RESTError(
        decoding: [Int].self, from: response,
        error: DecodingError.dataCorrupted(
          .init(codingPath: [], debugDescription: Canary.secret))))
    addLines()
    add("ProblemDetails", try #require(refused.problem))
    add("TransportError", fault)
    add("Credential", credential)
    add("MemoryTokenStore", MemoryTokenStore(credential))
    add(
      "IdentityService",
      IdentityService(
        baseURL: "https://h", transport: StubTransport(), tokens: MemoryTokenStore(credential)))
    add("FetchProfileError", FetchProfileError.unauthorized(refused))
    addBodies(head, response)
    try addTransports(url)
    try addSessions(refused)
    addEndpoints(request, response)
    try addObservation(request, response, refused)
  }

  private mutating func addBodies(_ head: ResponseHead, _ response: RESTResponse) {
    // Only a name: the file is never opened.
    let file = URL(fileURLWithPath: "/tmp/a")
    let chunks = [Self.body].publisher.setFailureType(to: (any Error).self)
    add("RequestBody", RequestBody.data(Self.body))
    add("RequestBody", RequestBody.file(file), RequestBody.chunks(chunks))
    add("TransferEvent", TransferEvent.head(head), TransferEvent.chunk(Self.body))
    add("UploadEvent", UploadEvent.response(response))
    add("DownloadEvent", DownloadEvent.finished(head))
    if let opened = try? RequestBody.data(Self.body).open() { add("OpenedRequestBody", opened) }
    add("ResponseIntake", ResponseIntake(limits: TransportLimits(), isCollected: true))
  }

  private mutating func addLines() {
    let corrupted = DecodingError.dataCorrupted(
      .init(codingPath: [], debugDescription: Canary.secret))
    add("LineError", LineError(.undecodable, line: 1, underlyingError: corrupted))
    add("RESTError", RESTError(LineError(.malformed, line: 1, underlyingError: corrupted)))
    add("RESTError", RESTError(.separator, number: 1, text: Self.body))
    add(
      "RESTError",
      RESTError(decoding: [Int].self, from: "line 1", text: Self.body, error: corrupted) { _ in
        corrupted
      })
    add(
      "ServerSentEvent",
      ServerSentEvent(type: Canary.secret, data: Canary.secret, id: Canary.secret))
  }

  private mutating func addTransports(_ url: URL) throws {
    // Only a name: the file is never opened.
    let file = URL(fileURLWithPath: "/tmp/a")
    let certificate = ClientCertificate(certificate: file, key: file, passphrase: Canary.secret)
    let server = ProxyServer(
      try #require(URL(string: "http://user:\(Canary.secret)@127.0.0.1:1")), user: "user",
      password: Canary.secret)
    var tls = TLSOptions()
    tls.clientCertificate = certificate
    add("ClientCertificate", certificate)
    add("TLSOptions", tls)
    add("TransportIdentity", TransportIdentity(of: CredentialedRoad()))
    add("ProxyServer", server)
    add("ProxyPolicy", ProxyPolicy.proxy(server))
    let host = HostAddresses(host: "h.example", port: 443, addresses: ["192.0.2.7"])
    add("HostAddresses", host)
    add("AddressPolicy", AddressPolicy.unixSocket("/run/a.sock"), AddressPolicy.fixed([host]))
    add("SharedTransport", SharedTransport())
    add("URLSessionTransport", URLSessionTransport())
    #if os(Linux)
      let proxy = ProxyServer(
        try #require(URL(string: "http://127.0.0.1:1")), user: "user", password: Canary.secret)
      add("CurlTransport", try CurlTransport(proxy: .proxy(proxy)))
    #endif
  }

  private mutating func addObservation(
    _ request: URLRequest, _ response: RESTResponse, _ error: RESTError
  ) throws {
    let scheduler = TestScheduler()
    let call = LogicalCall(clock: scheduler)
    call.journal.record(.built(RequestSummary(request)))
    call.beginExchange(isRedirected: false)
    call.journal.record(.received(status: 401, metrics: nil))
    call.journal.record(.redirected(to: RequestSummary(request), droppedHeaders: ["Authorization"]))
    call.journal.record(error)
    let recorded = HARRecording(
      request: request, requestBody: HARBody(Self.body), start: Date(timeIntervalSince1970: 0),
      outcome: .response(response.head, body: HARBody(Self.body)), duration: .zero, metrics: nil)
    let entry = try #require(HAREntry(recorded, redaction: .strict))
    let har = HAR(entries: [entry])
    let picture = CallPicture([call.journal.log])
    add("CallLog", call.journal.log, call.journal.log.attributes)
    add("CallEvent", call.journal.log.events, call.journal.log.events.map(\.attributes))
    add("CallPicture", picture, picture.svg, picture.html)
    add("CallObserver", CallObserver(clock: scheduler, next: nil))
    add("HAREntry", entry)
    add("HAR", har, String(decoding: har.data, as: UTF8.self))
    add("HARRecorder", HARRecorder(StubTransport()))
    add("HARError", HARError(path: "log", expectation: "an object"))
    add("ObservedTransport", ObservedTransport(StubTransport()))
    for outcome in [Result<Int, any Error>.success(200), .failure(error)] {
      add(
        "Exchange",
        Exchange(
          request: RequestSummary(request), outcome: outcome, duration: .zero, metrics: nil))
    }
    let beginning = ExchangeBeginning(
      request: request, attempt: 1, cause: .first, resendCount: 0, urlTemplate: nil,
      isAtAPIOrigin: true, time: .zero)
    add("ExchangeBeginning", beginning, beginning.attributes)
    let end = ExchangeEnd(
      status: 401, failure: error, isCancelled: false, duration: .zero, metrics: nil)
    add("ExchangeEnd", end, end.attributes)
    add("ClosureTransport", ClosureTransport { .status(200, to: $0) })
    add(
      "FailoverTransport",
      try FailoverTransport(
        StubTransport(), servers: ["https://a.example.com", "https://b.example.com"]))
    add("InterceptedTransport", StubTransport().intercepted { _ in })
    add(
      "InterceptedExchange",
      InterceptedExchange(request, body: .data(Self.body), watch: ExchangeWatch()))
    add("curl", request.curlCommand(), request.curlCommand(body: .data(Self.body)))
  }

  /// Public types that keep nothing that could be a secret, and why.
  static let exempt = [
    "User": "a namespace", "StandardTime": "a namespace", "Profile": "what a caller asked for",
    "Address": "part of a profile",
    "RefreshError": "cases without values", "Kind": "classes of errors and events",
    "Limit": "cases without values", "End": "values of other types",
    "TLSReason": "cases without values",
    "Authorities": "names of files", "Version": "cases without values",
    "RedirectPolicy": "cases without values", "Redaction": "cases without values",
    "RequestAuthorization": "cases without values", "Order": "cases without values",
    "CallBeginning": "numbers, and what a subscriber gave",
    "CallCause": "cases without values", "CallAttribute": "a value of an attribute",
    "HTTPMethod": "a method", "TransferProgress": "numbers", "TransportLimits": "numbers",
    "ExchangeMetrics": "numbers and an address", "Identity": "numbers",
    "InvalidUTF8": "cases without values", "JSONLinesFormat": "cases without values",
    "SignOutCause": "cases of a sign-out", "State": "cases without values",
    "UnusedName": "has no values", "LifetimeUnit": "cases without values",
    "TokenLifetime": "a number", "TokenSessionOptions": "numbers and a rule",
    "ResourcePath": "a path, which every text of a request tells",
    "StringInterpolation": "a path in the making", "RefusalRule": "a closure",
    "RetryPolicy": "numbers and closures", "RetryBudget": "numbers",
    "ReconnectPolicy": "numbers and closures", "EventStream": "has no values",
    "CacheStatus": "words of the cache's own, and numbers",
    "ForwardReason": "cases without values", "CacheUse": "cases without values",
    "CallDeadline": "a time", "CallDeadlineError": "a Boolean value",
    "RateLimiter": "numbers and places in a line", "RateLimitQuota": "numbers",
    "RequestCompression": "a number", "Parameter": "a value that a caller asked a link for",
    "ContentVersion": "cases without values", "ReplacedContent": "cases without values",
    "ContentReplacedError": "a number", "FieldNaming": "cases without values",
    "JSONLines": "has no values", "JSONTextSequence": "has no values",
  ]
}

/// A transport that holds a secret, as the object behind an identity.
private final class CredentialedRoad: Sendable {
  let password = Canary.secret
}
