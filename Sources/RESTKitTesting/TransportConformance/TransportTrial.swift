import Foundation
import RESTKit
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A check of one rule.
struct TransportTrial: Sendable {
  let rule: TransportRule
  /// The time after which the rule counts as hanging.
  let patience: Duration
  let make: @Sendable (TransportLimits) throws -> any Transport
  let serve: TrialServing
  /// The value of a header in each request of this trial.
  private let mark = UUID().uuidString

  init(
    rule: TransportRule, patience: Duration,
    make: @escaping @Sendable (TransportLimits) throws -> any Transport,
    serve: @escaping TrialServing
  ) {
    self.rule = rule
    self.serve = serve
    self.patience = patience
    self.make = make
  }

  /// Checks the rule, and gives up after its time.
  func run() async throws(TransportViolation) {
    let (ends, end) = AsyncStream.makeStream(of: TransportViolation?.self)
    let trial = Task { end.yield(await violation()) }
    let alarm = Task {
      try await Task.sleep(for: patience)
      end.yield(TransportViolation(expected: "an end", seen: "nothing for \(patience): it hangs"))
    }
    // A hanging trial is not awaited, because it might never end.
    defer {
      trial.cancel()
      alarm.cancel()
    }
    for await case let violation? in ends.prefix(1) { throw violation }
  }

  private func violation() async -> TransportViolation? {
    do {
      try await provoke()
      return nil
    } catch {
      return error as? TransportViolation
        ?? TransportViolation(expected: "a check that runs", seen: "\(error)")
    }
  }

  private func provoke() async throws {
    switch rule {
    case .requests: try await requests()
    case .refusals: try await refusals()
    case .laziness: try await laziness()
    case .uploads: try await uploads()
    case .bodyFailures: try await bodyFailures()
    case .onceOnly: try await onceOnly()
    case .bodyCancel: try await bodyCancel()
    case .statuses: try await statuses()
    case .headerLines: try await headerLines()
    case .bodiless: try await bodiless()
    case .codings: try await codings()
    case .redirects: try await redirects()
    case .challenges: try await challenges()
    case .cookies: try await cookies()
    case .cache: try await cache()
    case .refused, .unknownHost, .noTLS: try await connecting()
    case .closed: try await faults(of: .closeBeforeResponse, .connectionClosedBeforeResponse)
    case .reset: try await faults(of: .resetBeforeResponse, .connectionReset)
    case .cut: try await cut()
    case .packedCut: try await packedCut()
    case .malformed: try await malformed()
    case .twoLengths: try await twoLengths()
    case .noRepeat: try await noRepeat()
    case .wholeRepeat: try await wholeRepeat()
    case .secrets: try await secrets()
    case .bodyLimit: try await bodyLimit()
    case .headerLimit: try await headerLimit()
    case .deadline: try await deadline()
    case .silence: try await silence()
    case .pieces: try await pieces()
    case .demand: try await demand()
    case .beyondLimit: try await beyondLimit()
    case .cancel: try await cancel()
    case .lifetime: try await lifetime()
    case .crowd: try await crowd()
    case .nesting: try await nesting()
    case .blocking: try await blocking()
    case .promptHead: try await promptHead()
    case .promptChunks: try await promptChunks()
    case .earlyResponse: try await earlyResponse()
    }
  }
}

// MARK: - What the provocations are made of

extension TransportTrial {
  func transport(_ limits: TransportLimits = TransportLimits()) throws -> any Transport {
    try make(limits)
  }

  /// - Parameter seen: The observation that is reported if the condition is false.
  func expect(
    _ condition: Bool, _ expected: String, seen: String
  ) throws(TransportViolation) {
    guard condition else { throw TransportViolation(expected: expected, seen: seen) }
  }

  /// A handler that answers any request, for requests that must not arrive.
  static let ok: MockServer.Handler = { _ in .text("ok") }

  func request(
    _ server: any TrialServer, _ path: String = "/", method: String = "GET", body: Data? = nil
  ) throws -> URLRequest {
    try request(server.baseURL + path, method: method, body: body)
  }

  func request(_ url: String, method: String = "GET", body: Data? = nil) throws -> URLRequest {
    guard let url = URL(string: url) else {
      throw TransportViolation(expected: "a URL", seen: "none of \(url)")
    }
    var request = URLRequest(url: url)
    request.httpMethod = method
    request.httpBody = body
    request.setValue(mark, forHTTPHeaderField: Self.markName)
    return request
  }

  /// Returns the requests of this trial that a server has received.
  ///
  /// A client elsewhere might try a server that has ended again, after its port has become this
  /// server's.
  func arrived(at server: any TrialServer) -> [MockRequest] {
    server.requests.filter { $0.value(for: Self.markName) == mark }
  }

  private static let markName = "X-Trial"

  /// Checks what a rule says of both forms of a response.
  func inBothForms(_ check: (TrialForm) async throws -> Void) async throws {
    try await check(.whole)
    do {
      try await check(.pieces)
    } catch let violation as TransportViolation {
      throw TransportViolation(
        expected: "\(violation.expected), also in pieces", seen: violation.seen)
    }
  }

  func outcome(
    of request: URLRequest, over transport: any Transport, in form: TrialForm = .whole
  ) async -> Result<RESTResponse, any Error> {
    do {
      switch form {
      case .whole: return .success(try await transport.response(for: request).value)
      case .pieces:
        let pieces = await TransportPieces(transport.events(for: request))
        return .success(try pieces.response(to: request))
      }
    } catch {
      return .failure(error)
    }
  }

  func response(
    to request: URLRequest, over transport: any Transport, in form: TrialForm = .whole
  ) async throws -> RESTResponse {
    switch await outcome(of: request, over: transport, in: form) {
    case .success(let response): return response
    case .failure(let error): throw TransportViolation(expected: "a response", seen: "\(error)")
    }
  }

  /// Returns the fault of a call that must fail.
  func fault(
    of request: URLRequest, over transport: any Transport, in form: TrialForm = .whole,
    _ why: String
  ) async throws(TransportViolation) -> TransportError {
    switch await outcome(of: request, over: transport, in: form) {
    case .success(let response):
      throw TransportViolation(expected: "a fault: \(why)", seen: "a response, \(response)")
    case .failure(let error): return try fault(in: error, why)
    }
  }

  /// Returns the fault that an error is, or that it contains as RESTKit's own errors do.
  func fault(in error: any Error, _ why: String) throws(TransportViolation) -> TransportError {
    let fault = error as? TransportError ?? (error as? RESTError)?.underlyingError
    guard let fault = fault as? TransportError else {
      throw TransportViolation(
        expected: "a TransportError, or a RESTError of one: \(why)",
        seen: "\(type(of: error)): \(error)")
    }
    return fault
  }

  /// Returns bytes that are not all equal.
  static func pattern(_ count: Int) -> Data {
    Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
  }

  static func text(_ data: Data) -> String {
    data.isEmpty ? "no bytes" : String(decoding: data.prefix(80), as: UTF8.self)
  }
}

/// The way in which a response arrives.
enum TrialForm: CaseIterable {
  case whole, pieces
}

/// The result of an exchange in pieces.
struct TransportPieces: Sendable {
  var sent: [TransferProgress] = []
  var heads: [ResponseHead] = []
  var chunks: [Data] = []
  var failure: (any Error)?
  /// Whether a chunk came before the head or was empty.
  var isDisordered = false

  var data: Data { chunks.reduce(into: Data()) { $0.append($1) } }

  /// Returns the response that the pieces are.
  ///
  /// - Throws: The failure, or a violation if there is neither a failure nor one head.
  func response(to request: URLRequest) throws -> RESTResponse {
    if let failure { throw failure }
    guard let head = heads.first, heads.count == 1 else {
      throw TransportViolation(
        expected: "one head or a failure", seen: "\(heads.count) heads and no failure")
    }
    return RESTResponse(head: head, data: data, request: RequestSummary(request))
  }

  /// Collects everything, to the end.
  init(_ events: AnyPublisher<TransferEvent, any Error>) async {
    do {
      for try await event in events.values {
        switch event {
        case .sent(let progress): sent.append(progress)
        case .head(let head): heads.append(head)
        case .chunk(let chunk):
          chunks.append(chunk)
          isDisordered = isDisordered || heads.count != 1 || chunk.isEmpty
        }
      }
    } catch {
      failure = error
    }
  }
}
