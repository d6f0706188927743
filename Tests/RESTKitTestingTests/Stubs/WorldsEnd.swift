import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Everything that a subscriber sees of one exchange.
struct WorldsEnd: CustomStringConvertible {
  private(set) var sent: Int64 = 0
  private(set) var heads: [String] = []
  private(set) var body = Data()
  private(set) var summary = ""
  private(set) var isWhole = false
  private(set) var failure: (any Error)?

  /// Plays an exchange in memory, in virtual time.
  init(_ draw: DrawnScript, on stubs: StubTransport, in scheduler: TestScheduler) {
    if draw.isInPieces {
      let call = TestSubscriber<TransferEvent, any Error>()
      stubs.events(for: draw.request).receive(subscriber: call)
      scheduler.run()
      for event in call.values { note(event) }
      failure = call.failure
    } else {
      let call = TestSubscriber<RESTResponse, any Error>()
      stubs.response(for: draw.request).receive(subscriber: call)
      scheduler.run()
      if let response = call.values.first { note(response) }
      failure = call.failure
    }
  }

  /// Plays an exchange over a socket.
  init(_ draw: DrawnScript, on stubs: StubTransport) async {
    do {
      if draw.isInPieces {
        for try await event in stubs.events(for: draw.request).values { note(event) }
      } else {
        note(try await stubs.response(for: draw.request).value)
      }
    } catch {
      failure = error
    }
  }

  private mutating func note(_ event: TransferEvent) {
    switch event {
    case .sent(let progress): sent = progress.completedBytes
    case .head(let head): heads.append(Self.text(of: head))
    case .chunk(let chunk): body += chunk
    }
  }

  private mutating func note(_ response: RESTResponse) {
    isWhole = true
    heads = [Self.text(of: response.head)]
    body = response.data
    summary = "\(response.request)"
  }

  /// The URL, the status, the version and each line with the bytes of its value.
  private static func text(of head: ResponseHead) -> String {
    let lines = head.headers.map { "\($0.name): \(Array($0.value.utf8))" }
    #if os(Linux)
      return "\(head.url) \(head.statusCode) \(head.httpVersion) \(lines)"
    #else
      // Foundation joins lines, and has its own order.
      return
        "\(head.url) \(head.statusCode) \(Set(head.headers.map { $0.name.lowercased() }).sorted())"
    #endif
  }

  private var error: RESTError? { failure as? RESTError }
  private var fault: TransportError? { error?.underlyingError as? TransportError }

  /// What a test of the draws counts.
  var words: [String] {
    var words = [isWhole ? "whole" : "pieces"]
    if failure is StubError { words.append("invalidStub") }
    if let fault { words.append(String("\(fault.kind)".prefix { $0 != "(" })) }
    return words
  }

  /// Whether the connection broke before the response was whole.
  private var isReset: Bool {
    switch fault?.kind {
    case .connectionReset, .connectionClosedBeforeResponse: true
    default: false
    }
  }

  /// The parts that are equal in both worlds.
  ///
  /// A reset may discard bytes that were not read, also those of the head. On a kept connection it
  /// may be a close.
  private var parts: [String] {
    guard !isReset else {
      return [
        "\(error?.request.map { "\($0)" } ?? "-") broken, \(fault?.mayHaveBeenProcessed == true)"
      ]
    }
    return [
      "sent \(sent)", "\(heads)", summary, "whole \(isWhole)",
      failure.map { error == nil ? "\($0)" : "RESTError" } ?? "-",
      error.map { "\($0.kind) \($0.request.map { "\($0)" } ?? "-")" } ?? "-",
      error?.response.map(Self.text) ?? "no head",
      fault.map { "\($0.kind) \($0.mayHaveBeenProcessed) \($0.statusCode.map { "\($0)" } ?? "-")" }
        ?? "-",
    ]
  }

  /// Whether another world shows the same.
  ///
  /// How many bytes arrive before a limit depends on the pieces of the network.
  func isSame(as other: WorldsEnd) -> Bool {
    func isBeginning(_ one: Data, _ second: Data) -> Bool {
      one.starts(with: second) || second.starts(with: one)
    }
    let isBodyKnown =
      switch fault?.kind {
      case nil, .bodyCut: body == other.body && error?.body == other.error?.body
      default:
        isBeginning(body, other.body)
          && isBeginning(error?.body ?? Data(), other.error?.body ?? Data())
      }
    return parts == other.parts && isBodyKnown
  }

  var description: String {
    "\(parts), \(body.count) bytes, \(error?.body?.count ?? -1) of an error"
  }
}
