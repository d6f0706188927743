import Fixtures
import Foundation
import Testing

@testable import RESTKit

/// One target, its stored responses, and a clock that a test moves.
struct RuleBench {
  var now = Date(timeIntervalSince1970: 1_800_000_000)
  private(set) var kept: [StoredResponse] = []
  var target = "https://h.example/a"

  /// A date so many seconds from now.
  func date(_ offset: Double = 0) -> String { CacheDate.text(now + offset) }

  func request(_ fields: [String: String] = [:], method: HTTPMethod = .get) throws -> CacheRequest {
    let url: URL = try #require(URL(string: target))
    return CacheRequest(method: method, url: url, fields: fields)
  }

  func head(_ headers: HTTPHeaders = [:], status: Int = 200) throws -> ResponseHead {
    ResponseHead(url: try #require(URL(string: target)), statusCode: status, headers: headers)
  }

  /// Says whether a response that comes now would be kept.
  func storage(
    _ headers: HTTPHeaders, status: Int = 200, body: String = "0123456789",
    to fields: [String: String] = [:], method: HTTPMethod = .get, delay: Double = 0
  ) throws -> StorageDecision {
    StorageDecision(
      try request(fields, method: method), head: try head(headers, status: status),
      data: Data(body.utf8), requestTime: now - delay, responseTime: now)
  }

  /// Keeps a response that comes now.
  @discardableResult
  mutating func keep(
    _ headers: HTTPHeaders, status: Int = 200, body: String = "0123456789",
    to fields: [String: String] = [:], delay: Double = 0
  ) throws -> StoredResponse {
    let storage = try storage(headers, status: status, body: body, to: fields, delay: delay)
    guard case .store(let stored) = storage else {
      Issue.record("\(storage)")
      throw CancellationError()
    }
    replace(by: stored)
    return stored
  }

  /// Puts a response in the place of the one with the same varying fields, as stores do.
  mutating func replace(by stored: StoredResponse) {
    kept.removeAll { $0.varying == stored.varying }
    kept.append(stored)
  }

  /// The cache's decision about a request now.
  func decision(
    _ fields: [String: String] = [:], method: HTTPMethod = .get
  ) throws -> CacheDecision {
    CacheDecision(try request(fields, method: method), stored: kept, now: now)
  }

  /// The cache's decision about a request now, in a word.
  func word(_ fields: [String: String] = [:], method: HTTPMethod = .get) throws -> String {
    switch try decision(fields, method: method) {
    case .fresh(let cached):
      switch cached.form {
      case .whole, .head: "fresh"
      case .notModified: "304"
      case .range(let range): "206 \(range)"
      }
    case .stale(_, .maxStale): "max-stale"
    case .stale(_, .whileRevalidate): "while-revalidate"
    case .validate: "validate"
    case .miss: "miss"
    case .unsatisfiable: "504"
    case .bypass: "bypass"
    }
  }

  /// The response from what is kept.
  func answer(_ fields: [String: String] = [:], method: HTTPMethod = .get) throws -> CachedResponse
  {
    switch try decision(fields, method: method) {
    case .fresh(let cached), .stale(let cached, _): return cached
    case let other:
      Issue.record("\(other)")
      throw CancellationError()
    }
  }

  /// The question that the cache asks.
  func validation(
    _ fields: [String: String] = [:], method: HTTPMethod = .get
  ) throws -> CacheValidation {
    switch try decision(fields, method: method) {
    case .validate(let validation), .stale(_, .whileRevalidate(let validation)): return validation
    case let other:
      Issue.record("\(other)")
      throw CancellationError()
    }
  }

  /// The meaning of a response to the cache's validation, received now.
  func outcome(
    _ headers: HTTPHeaders = [:], status: Int = 304, to fields: [String: String] = [:],
    method: HTTPMethod = .get
  ) throws -> CacheValidation.Outcome {
    try validation(fields, method: method).outcome(
      of: try head(headers, status: status), to: try request(fields, method: method),
      requestTime: now, responseTime: now)
  }

  /// The head that a 304 makes the response, after it is kept.
  mutating func confirm(
    _ headers: HTTPHeaders = [:], to fields: [String: String] = [:]
  ) throws -> ResponseHead {
    switch try outcome(headers, to: fields) {
    case .confirmed(let head, _, let keep):
      for stored in keep { replace(by: stored) }
      return head
    case let other:
      Issue.record("\(other)")
      throw CancellationError()
    }
  }
}
