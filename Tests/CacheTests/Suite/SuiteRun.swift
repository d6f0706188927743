import Fixtures
import Foundation
import RESTKitTesting
import Streams

@testable import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The run of one case, over a real connection and in virtual time.
struct SuiteRun {
  /// Where the responses are kept from one step to the next.
  enum Place: CaseIterable, Sendable {
    case memory, folder
    /// A folder, with a new cache for every request, as after a restart.
    case folderWithRestarts
    /// A folder of two caches, as of two processes, which send in turns.
    case folderOfTwo
  }

  private let test: SuiteCase
  private let place: Place
  private let transport: any Transport
  private let scene: SuiteServer
  private let server: MockServer
  private let folder: TemporaryFolder

  init(_ test: SuiteCase, in place: Place, over transport: any Transport) throws {
    self.test = test
    self.place = place
    self.transport = transport
    let scene = SuiteServer(test)
    self.scene = scene
    server = try MockServer { scene.response(to: $0) }
    folder = try TemporaryFolder()
  }

  /// The first expectation that is not met; nil if all are.
  func fault() async throws -> String? {
    var caches: [HTTPCache] = []
    for (index, step) in test.steps.enumerated() {
      let cache: HTTPCache
      switch place {
      case .memory, .folder: cache = try caches.first ?? makeCache()
      case .folderWithRestarts: cache = try makeCache()
      case .folderOfTwo: cache = index < 2 ? try makeCache() : caches[index % 2]
      }
      caches.append(cache)
      let outcome: Result<RESTResponse, any Error>
      do {
        outcome = .success(try await send(step, number: index + 1, cache: cache))
      } catch {
        outcome = .failure(error)
      }
      if let fault = fault(of: step, number: index + 1, outcome) {
        return "step \(index + 1): \(fault)"
      }
      scene.wait(step.pause)
    }
    return nil
  }

  private func makeCache() throws -> HTTPCache {
    let date: @Sendable () -> Date = { [scene] in scene.now }
    if place == .memory { return HTTPCache(date: date) }
    return HTTPCache(
      store: try DiskCacheStore(
        folder: folder.url.appendingPathComponent("cache"), maxBytes: 1 << 20,
        transient: MemoryCacheStore(maxBytes: 1 << 20), date: date, queue: DiskQueue { $0() }),
      date: date)
  }

  private func send(
    _ step: SuiteStep, number: Int, cache: HTTPCache
  ) async throws -> RESTResponse {
    // A body in an unknown coding is given as it is only if the engine asks for no coding by
    // itself.
    var headers: HTTPHeaders = ["Step": "\(number)", "Accept-Encoding": "identity"]
    for line in step.request {
      let (name, value) = SuiteServer.field(line)
      headers.append(name: name, value: value)
    }
    let query = step.query.map { $0.split(separator: "=").map(String.init) }
    let api = TestAPI(baseURL: server.baseURL, transport: transport, cache: cache)
    let response = api.request(
      HTTPMethod(step.method), endpoint: test.id,
      query: query.map { [$0[0]: $0[1]] } ?? [:], headers: headers,
      body: step.method == "GET" ? nil : .data(Data("changed".utf8)))
    guard step.isRevalidated else { return try await response.value }
    return try await response.cached(in: cache, use: .revalidated).value
  }

  private func fault(
    of step: SuiteStep, number: Int, _ outcome: Result<RESTResponse, any Error>
  ) -> String? {
    let response: RESTResponse
    switch outcome {
    case .success(let success): response = success
    case .failure(let error):
      return step.expected.contains { if case .failed = $0 { true } else { false } }
        ? nil : "\(error)"
    }
    let author = response.headers["Step"].flatMap { Int($0) } ?? 0
    let sent = scene.request(of: number)
    for expectation in step.expected {
      let isMet: Bool
      switch expectation {
      case .reused: isMet = author < number && isEarlier(response, than: number)
      case .forwarded: isMet = author == number && sent != nil
      case .validated(let field):
        isMet =
          sent?[field] != nil && response.statusCode == 200
          && isEarlier(response, than: number)
      case .failed: isMet = false
      case .status(let status): isMet = response.statusCode == status
      case .text(let text): isMet = response.text == text
      case .has(let line): isMet = has(line, response)
      case .lacks(let name): isMet = !response.headers.contains(name)
      case .olderThan(let age): isMet = response.headers["Age"].flatMap { Int($0) } ?? 0 > age
      case .sends(let line):
        let (name, value) = SuiteServer.field(line)
        isMet = sent?[name] == value
      }
      if !isMet { return "expected \(expectation), got \(response.statusCode) \(response.headers)" }
    }
    return nil
  }

  /// Whether the body is that of an earlier step, or a part of it.
  private func isEarlier(_ response: RESTResponse, than number: Int) -> Bool {
    (1..<number).contains { earlier in
      let step = test.steps[earlier - 1]
      guard HTTPStatus.allowsBody(step.status, to: "GET") else { return response.text.isEmpty }
      let body = step.body ?? SuiteServer.body(of: earlier)
      let isCut =
        response.statusCode == 206 || step.response.contains { $0.hasPrefix("Content-Length:") }
      return response.text == body || (isCut && body.contains(response.text))
    }
  }

  private func has(_ line: String, _ response: RESTResponse) -> Bool {
    let moment = response.headers["Answered-At"].flatMap { Double($0) } ?? 0
    let (name, value) = SuiteServer.field(
      SuiteServer.dated(line, at: Date(timeIntervalSince1970: moment)))
    return response.headers[name] == value
  }
}
