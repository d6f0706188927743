import Foundation
import RESTKit
import RESTKitTesting
import Streams
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A transport that breaks rules on purpose, and that the kit must find.
struct TransportMutant: Sendable, CustomTestStringConvertible {
  typealias Spoil = @Sendable (any Transport) throws -> SpoiledTransport

  /// What is wrong with it, for the table of Docs/TransportConformance.md.
  let name: String
  /// The rules that it breaks.
  let rules: [TransportRule]
  /// Whether some of them show only in a signal that never comes.
  var hangs = false
  let make: @Sendable (TransportLimits) throws -> any Transport

  var testDescription: String { name }

  static var all: [TransportMutant] {
    ofRequests + ofUploads + ofResponses + ofMemory + ofFaults + ofRepeats + ofLimits + ofPieces
      + ofPromptness + ofCalls + ofDeliveries
  }

  /// A line of the table.
  static func line(_ rule: TransportRule) -> String {
    let names = all.filter { $0.rules.contains(rule) }.map(\.name)
    return "| `\(rule.rawValue)` | \(names.count) | \(names.joined(separator: "; ")) |"
  }

  /// The transport that is spoiled.
  static func correct(_ limits: TransportLimits) throws -> any Transport {
    #if os(Linux)
      try CurlTransport(limits: limits)
    #else
      URLSessionTransport(limits: limits)
    #endif
  }

  /// The rules that the transport keeps before it is spoiled.
  static var provable: [TransportRule] {
    #if os(Linux)
      TransportRule.allCases
    #else
      TransportRule.allCases.filter { ![.headerLines, .packedCut, .twoLengths].contains($0) }
    #endif
  }
}

extension TransportMutant {
  init(_ name: String, _ rules: [TransportRule], hangs: Bool = false, spoil: @escaping Spoil) {
    self.init(name: name, rules: rules, hangs: hangs) { try spoil(Self.correct($0)) }
  }

  /// Its whole exchanges are spoiled.
  static func whole(
    _ name: String, _ rules: TransportRule..., hangs: Bool = false,
    by spoil: @escaping @Sendable (any Transport, URLRequest) -> WholeExchange
  ) -> TransportMutant {
    TransportMutant(name, rules, hangs: hangs) { inner in
      var spoiled = SpoiledTransport(inner)
      spoiled.whole = { spoil(inner, $0) }
      return spoiled
    }
  }

  /// Its exchanges in pieces are spoiled.
  static func pieces(
    _ name: String, _ rules: TransportRule..., hangs: Bool = false,
    by spoil: @escaping @Sendable (any Transport, URLRequest, RequestBody?) -> PiecesExchange
  ) -> TransportMutant {
    TransportMutant(name, rules, hangs: hangs) { inner in
      var spoiled = SpoiledTransport(inner)
      spoiled.pieces = { spoil(inner, $0, $1) }
      return spoiled
    }
  }

  /// The pieces of its exchanges are spoiled.
  static func events(
    _ name: String, _ rules: TransportRule..., hangs: Bool = false,
    by spoil: @escaping @Sendable (PiecesExchange) -> PiecesExchange
  ) -> TransportMutant {
    TransportMutant(name, rules, hangs: hangs) { inner in
      var spoiled = SpoiledTransport(inner)
      spoiled.pieces = { spoil(inner.events(for: $0, body: $1)) }
      return spoiled
    }
  }

  /// It sends another request.
  static func request(
    _ name: String, _ rules: TransportRule..., hangs: Bool = false,
    by change: @escaping @Sendable (URLRequest) -> URLRequest
  ) -> TransportMutant {
    TransportMutant(name, rules, hangs: hangs) { inner in
      var spoiled = SpoiledTransport(inner)
      spoiled.whole = { inner.response(for: change($0)) }
      spoiled.pieces = { inner.events(for: change($0), body: $1) }
      return spoiled
    }
  }

  /// It changes the head of each response.
  static func head(
    _ name: String, _ rules: TransportRule...,
    by change: @escaping @Sendable (ResponseHead) throws -> ResponseHead
  ) -> TransportMutant {
    TransportMutant(name, rules) { inner in
      var spoiled = SpoiledTransport(inner)
      spoiled.whole = { request in
        inner.response(for: request).tryMap { $0.replacing(head: try change($0.head)) }
          .eraseToAnyPublisher()
      }
      spoiled.pieces = { inner.events(for: $0, body: $1).mapHead(change) }
      return spoiled
    }
  }

  /// It changes each failure.
  static func failure(
    _ name: String, _ rules: TransportRule...,
    by change: @escaping @Sendable (any Error, URLRequest) -> any Error
  ) -> TransportMutant {
    TransportMutant(name, rules) { inner in
      var spoiled = SpoiledTransport(inner)
      spoiled.whole = { request in
        inner.response(for: request).mapError { change($0, request) }.eraseToAnyPublisher()
      }
      spoiled.pieces = { request, body in
        inner.events(for: request, body: body).mapError { change($0, request) }
          .eraseToAnyPublisher()
      }
      return spoiled
    }
  }

  /// It changes the faults of its engine.
  static func fault(
    _ name: String, _ rules: TransportRule...,
    by change: @escaping @Sendable (TransportError) -> TransportError
  ) -> TransportMutant {
    TransportMutant(name, rules) { inner in
      var spoiled = SpoiledTransport(inner)
      let changed: @Sendable (any Error) -> any Error = { error in
        TransportError(of: error).map(change) ?? error
      }
      spoiled.whole = { inner.response(for: $0).mapError(changed).eraseToAnyPublisher() }
      spoiled.pieces = { request, body in
        inner.events(for: request, body: body).mapError(changed).eraseToAnyPublisher()
      }
      return spoiled
    }
  }

  /// It has a response where another transport has a fault.
  static func answer(
    _ name: String, _ rules: TransportRule...,
    by answer:
      @escaping @Sendable (any Transport, TransportError, any Error, URLRequest) -> WholeExchange?
  ) -> TransportMutant {
    TransportMutant(name, rules) { inner in
      let answered: @Sendable (any Error, URLRequest) -> WholeExchange = { error, request in
        TransportError(of: error).flatMap { answer(inner, $0, error, request) }
          ?? Fail(error: error).eraseToAnyPublisher()
      }
      var spoiled = SpoiledTransport(inner)
      spoiled.whole = { request in
        inner.response(for: request).catch { answered($0, request) }.eraseToAnyPublisher()
      }
      spoiled.pieces = { request, body in
        inner.events(for: request, body: body)
          .catch { answered($0, request).inPieces() }.eraseToAnyPublisher()
      }
      return spoiled
    }
  }

  /// It is made with other limits, and shows those that it got.
  static func limited(
    _ name: String, _ rules: TransportRule...,
    by change: @escaping @Sendable (inout TransportLimits) -> Void,
    spoil: @escaping @Sendable (inout SpoiledTransport, TransportLimits) -> Void = { _, _ in }
  ) -> TransportMutant {
    TransportMutant(name: name, rules: rules) { limits in
      var others = limits
      change(&others)
      var spoiled = SpoiledTransport(try correct(others))
      spoiled.limits = limits
      spoil(&spoiled, limits)
      return spoiled
    }
  }
}
