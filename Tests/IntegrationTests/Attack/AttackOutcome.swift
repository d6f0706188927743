import Foundation
import RESTKit
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The outcome of an attack for the caller.
enum AttackOutcome: Sendable, Equatable, CustomStringConvertible {
  case response(Int, Data)
  /// The kind's name, such as `bodyCut` or `limitExceeded(bodyBytes)`, and the whole fault.
  case fault(String, TransportError)
  /// An outcome that no transport should have.
  case other(String)

  var name: String {
    switch self {
    case .response(let status, _): "\(status)"
    case .fault(let name, _): name
    case .other(let text): text
    }
  }

  /// The bytes of a whole body, and nil for all else.
  var body: Data? {
    if case .response(_, let body) = self { body } else { nil }
  }

  var fault: TransportError? {
    if case .fault(_, let fault) = self { fault } else { nil }
  }

  var description: String {
    switch self {
    case .response(let status, let body):
      "\(status) with \(body.count) bytes, \(String(decoding: body.prefix(40), as: UTF8.self))"
    case .fault(_, let fault): "\(fault)"
    case .other(let text): text
    }
  }

  init(_ fault: TransportError) {
    let name =
      switch fault.kind {
      case .limitExceeded(let limit): "limitExceeded(\(limit))"
      case .tlsFailed(let failure): "tlsFailed(\(failure))"
      case let kind: "\(kind)"
      }
    self = .fault(name, fault)
  }

  init(_ error: any Error) {
    if let fault = (error as? RESTError)?.underlyingError as? TransportError {
      self.init(fault)
    } else {
      self = .other("\(error)")
    }
  }
}

extension PeerAPI {
  /// Returns the outcome of one call, whole or in pieces.
  func outcome(
    _ method: HTTPMethod = .get, _ path: String = "a", body: Data? = nil, inPieces: Bool = false,
    seconds: TimeInterval = 5
  ) async -> AttackOutcome {
    let limit: RequestModifier = { request in
      var request = request
      request.timeoutInterval = seconds
      return request
    }
    do {
      if inPieces {
        return try await pieces(method, path, body, limit)
      }
      let response = try await request(
        method, endpoint: path, body: body.map { .data($0) }, requestModifier: limit
      )
      .value
      return .response(response.statusCode, response.data)
    } catch {
      return AttackOutcome(error)
    }
  }

  private func pieces(
    _ method: HTTPMethod, _ path: String, _ body: Data?, _ limit: @escaping RequestModifier
  ) async throws -> AttackOutcome {
    var status = 0
    var whole = Data()
    let source = events(
      method, endpoint: path, body: body.map { .data($0) }, requestModifier: limit)
    for event in try await source.collect().value {
      switch event {
      case .head(let head): status = head.statusCode
      case .chunk(let bytes): whole += bytes
      default: break
      }
    }
    return .response(status, whole)
  }
}
