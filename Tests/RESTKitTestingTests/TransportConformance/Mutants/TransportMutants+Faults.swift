import Foundation
import RESTKit
import Streams
import Testing

@testable import RESTKitTesting

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension TransportMutant {
  static var ofFaults: [TransportMutant] {
    let connecting: [(TransportRule, String)] = [
      (.refused, "connectionRefused"), (.unknownHost, "hostNotFound"), (.noTLS, "tlsFailed"),
    ]
    let closing: [(TransportRule, String)] = [
      (.closed, "connectionClosedBeforeResponse"), (.reset, "connectionReset"),
    ]
    return connecting.flatMap { ofConnecting($0, kind: $1) }
      + closing.flatMap { ofClosing($0, kind: $1) } + ofCuts + ofRepeats + ofSecrets
  }

  private static func ofConnecting(_ rule: TransportRule, kind: String) -> [TransportMutant] {
    [
      fault(rule, "has another kind for it", kind) { $0.with(kind: .connectFailed) },
      fault(rule, "says that it may have been processed", "not processed") {
        $0.with(processed: true)
      },
      faultInPieces(rule, "has another kind for it in pieces", "\(kind)") {
        $0.with(kind: .connectFailed)
      },
      faultInPieces(rule, "has no kind in pieces", "a TransportError") { _ in BreakError() },
      TransportMutant(
        rule, "makes a head", "no head",
        exchange: { transport, request, body in
          let head = ResponseHead(url: try #require(request.url), statusCode: 200)
          return transport.events(for: request, body: body).prepend(.head(head))
            .eraseToAnyPublisher()
        }),
      TransportMutant(
        rule, "ends without a fault in pieces", "the same fault in pieces",
        exchange: { _, _, _ in Empty().eraseToAnyPublisher() }),
      success(rule, "a fault: \(kind)"),
    ]
  }

  private static func ofClosing(_ rule: TransportRule, kind: String) -> [TransportMutant] {
    [
      fault(rule, "has another kind for it", kind) { $0.with(kind: .bodyCut) },
      fault(rule, "says that nothing was processed", "may have been processed") {
        $0.with(processed: false)
      },
      fault(rule, "has no kind", "a TransportError") { _ in BreakError() },
      TransportMutant(
        rule, "sends it again", "one request",
        call: { $0.response(for: $1).retry(1).eraseToAnyPublisher() }),
      success(rule, "a fault: \(kind)"),
    ]
  }

  private static var ofCuts: [TransportMutant] {
    [
      fault(.cut, "has another kind for it", "bodyCut, which") {
        $0.with(kind: .connectionReset)
      },
      fault(.cut, "says that nothing was processed", "bodyCut, which") {
        $0.with(processed: false)
      },
      faultInPieces(.cut, "has another kind for it in pieces", "bodyCut in pieces") {
        $0.with(kind: .connectionReset)
      },
      faultInPieces(.cut, "has no kind in pieces", "a TransportError") { _ in BreakError() },
      pieces(.cut, "changes the bytes", "the beginning of the body before it") {
        if case .chunk(let bytes) = $0 { [.chunk(Data(bytes.reversed()))] } else { [$0] }
      },
      success(.cut, "a fault: cut"),
      fault(.malformed, "has another kind for it", "malformedResponse") {
        $0.with(kind: .connectionReset)
      },
      success(.malformed, "a fault: a response that is not HTTP"),
      fault(.twoLengths, "has another kind for it", "malformedResponse") {
        $0.with(kind: .connectionReset)
      },
      success(.twoLengths, "a fault: a response that is not HTTP"),
    ]
  }

  private static var ofRepeats: [TransportMutant] {
    [
      fault(.noRepeat, "says that nothing was processed", "may have been processed") {
        $0.with(processed: false)
      },
      TransportMutant(
        .noRepeat, "sends PATCH again", "one PATCH",
        call: { transport, request in
          let response = transport.response(for: request)
          return request.httpMethod == "PATCH" ? response.retry(1).eraseToAnyPublisher() : response
        }),
      success(.noRepeat, "a fault: a dead connection"),
      request(.wholeRepeat, "sends a part", "the whole body each time") {
        $0.httpBody = $0.httpBody?.prefix(10)
      },
      response(.wholeRepeat, "has no kind for it", "a TransportError") {
        guard $0.request.method != .put else { throw BreakError() }
        return $0
      },
    ]
  }

  private static var ofSecrets: [TransportMutant] {
    [
      TransportMutant(
        .secrets, "shows a header", "no secret",
        call: { transport, request in
          transport.response(for: request).mapError { _ in
            BreakError(description: "\(request.allHTTPHeaderFields ?? [:])")
          }.eraseToAnyPublisher()
        }),
      fault(.secrets, "shows the query where no server is", "no secret") {
        if $0.kind == .connectionRefused { BreakError(description: "s3cret") } else { $0 }
      },
      fault(.secrets, "shows the query where no host is", "no secret") {
        if $0.kind == .hostNotFound { BreakError(description: "s3cret") } else { $0 }
      },
    ]
  }
}
