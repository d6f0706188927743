import Foundation
import HTTPTypes
import RESTKit

/// An iterator over the events of an exchange: the body's progress, the head, and the response's
/// chunks.
struct ClientSteps: AsyncIteratorProtocol {
  private enum Phase {
    case unsent
    case pending(AsyncStream<TransferProgress>.Iterator)
    case answered(HTTPMessageBody.Iterator?)
    case over
  }

  private let exchange: ClientExchange
  private let intake: ResponseIntake
  private var phase = Phase.unsent
  /// The client's response, kept until the exchange ends, since the client's task ends with it.
  private var answer: PendingResponse?

  init(_ exchange: ClientExchange) {
    self.exchange = exchange
    intake = ResponseIntake(
      limits: exchange.limits, isCollected: exchange.pieces == nil,
      choosesCodings: exchange.request.value(forHTTPHeaderField: "Accept-Encoding") != nil)
  }

  mutating func next() async throws -> TransferEvent? {
    do {
      return try await step()
    } catch {
      phase = .over
      let upload = answer?.upload
      answer = nil
      throw exchange.failure(for: error, of: upload)
    }
  }

  private mutating func step() async throws -> TransferEvent? {
    if case .unsent = phase {
      let pending = try exchange.start()
      answer = pending
      phase = .pending(pending.steps.makeAsyncIterator())
    }
    if case .pending(var steps) = phase, let answer {
      if let progress = await steps.next() {
        phase = .pending(steps)
        return .sent(progress)
      }
      return .head(try await head(of: answer))
    }
    if case .answered(var chunks) = phase {
      while let chunk = try await chunks?.next() {
        guard !chunk.isEmpty else { continue }
        phase = .answered(chunks)
        return .chunk(try intake.take(chunk))
      }
      // The sequences of a canceled task may end as if they were complete.
      try Task.checkCancellation()
      phase = .over
      answer = nil
    }
    return nil
  }

  private mutating func head(of answer: PendingResponse) async throws -> ResponseHead {
    let (response, body) = try await answer.value
    exchange.pieces?.clock.noteResponse()
    let head = ResponseHead(response, url: exchange.request.url ?? URL(fileURLWithPath: "/"))
    var counted = head.headers
    // The client has removed the coding that this field names.
    counted["Content-Encoding"] = nil
    try intake.take(
      ResponseHead(url: head.url, statusCode: head.statusCode, headers: counted))
    let isBodiless =
      exchange.request.httpMethod == "HEAD" || [204, 304].contains(head.statusCode)
    phase = .answered(isBodiless ? nil : body?.makeAsyncIterator())
    return head
  }
}
