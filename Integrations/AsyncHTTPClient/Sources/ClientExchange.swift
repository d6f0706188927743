import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import RESTKit
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One request and its response.
struct ClientExchange: Sendable {
  private let owner: ClientOwner
  private let request: URLRequest
  private let body: RequestBody?
  private let limits: TransportLimits
  private let isCollected: Bool

  init(
    _ owner: ClientOwner, _ request: URLRequest, body: RequestBody?, limits: TransportLimits,
    isCollected: Bool
  ) {
    self.owner = owner
    self.request = request
    self.body = body
    self.limits = limits
    self.isCollected = isCollected
  }

  /// Returns the whole response.
  func response() async throws -> RESTResponse {
    try await timed { clock in
      var head: ResponseHead?
      var data = Data()
      try await run(clock) { event in
        switch event {
        case .sent: break
        case .head(let first): head = first
        case .chunk(let chunk): data.append(chunk)
        }
      }
      guard let head else { throw CancellationError() }
      return RESTResponse(head: head, data: data, request: RequestSummary(request))
    }
  }

  /// Runs the exchange and delivers its events one by one.
  ///
  /// - Parameter deliver: A closure that takes one event. Nothing more is read until it returns.
  func events(_ deliver: @escaping @Sendable (TransferEvent) async throws -> Void) async throws {
    try await timed { clock in try await run(clock, deliver: deliver) }
  }

  /// Runs work that the clock or a cancel can end.
  private func timed<Value: Sendable>(
    _ work: @escaping @Sendable (ExchangeClock) async throws -> Value
  ) async throws -> Value {
    let clock = ExchangeClock(
      seconds: request.timeoutInterval, isOfEachWait: !isCollected,
      on: owner.client.eventLoopGroup.any())
    let task = Task { try await work(clock) }
    clock.start { task.cancel() }
    defer { clock.stop() }
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }

  private func run(
    _ clock: ExchangeClock, deliver: (TransferEvent) async throws -> Void
  ) async throws {
    var stage = ClientFault.Stage.unanswered
    var progress: UploadProgress?
    defer { progress?.stop() }
    do {
      try request.validateForSending(body: body)
      let opened = try upload?.open()
      progress = opened.map { UploadProgress(totalBytes: $0.length) }
      let response = try await answer(opened, progress, clock, deliver: deliver)
      let head = ResponseHead(response, url: request.url)
      stage = .answered(status: head.statusCode)
      try await pass(response.body, behind: head, clock, to: deliver)
    } catch {
      throw failure(error, progress, clock, stage)
    }
  }

  /// The body to send in pieces, which can be the request's own body, so that its progress is
  /// reported.
  private var upload: RequestBody? {
    if let body { return body }
    guard !isCollected, let data = request.httpBody, !data.isEmpty else { return nil }
    return .data(data)
  }

  /// Sends the request, reports the progress of its body, and waits for the response.
  private func answer(
    _ opened: OpenedRequestBody?, _ progress: UploadProgress?, _ clock: ExchangeClock,
    deliver: (TransferEvent) async throws -> Void
  ) async throws -> HTTPClientResponse {
    var message = HTTPClientRequest(request)
    clock.wait()
    guard let opened, let progress else {
      return try await owner.client.execute(message, deadline: .distantFuture)
    }
    let chunks = UploadBody(chunks: opened.chunks, progress: progress, clock: clock)
    message.body = .stream(chunks, length: opened.length.map { .known($0) } ?? .unknown)
    async let response = execute(message, ending: progress)
    for await step in progress.steps { try await deliver(.sent(step)) }
    return try await response
  }

  private func execute(
    _ message: HTTPClientRequest, ending progress: UploadProgress
  ) async throws -> HTTPClientResponse {
    // A server may respond before it has read the whole body.
    defer { progress.end() }
    return try await owner.client.execute(message, deadline: .distantFuture)
  }

  /// Delivers the response within its limits.
  private func pass(
    _ body: HTTPClientResponse.Body, behind head: ResponseHead, _ clock: ExchangeClock,
    to deliver: (TransferEvent) async throws -> Void
  ) async throws {
    let intake = ResponseIntake(
      limits: limits, isCollected: isCollected,
      choosesCodings: request.value(forHTTPHeaderField: "Accept-Encoding") != nil)
    try intake.take(head)
    clock.noteResponse()
    try await deliver(.head(head))
    var buffers = body.makeAsyncIterator()
    clock.wait()
    while let buffer = try await buffers.next() {
      // The subscriber may take any time for a piece.
      clock.pause()
      let chunk = try intake.take(Data(buffer.readableBytesView))
      if !chunk.isEmpty { try await deliver(.chunk(chunk)) }
      clock.wait()
    }
    // For a canceled task, the body ends early and without an error.
    try Task.checkCancellation()
    try intake.finish()
  }

  private func failure(
    _ error: any Error, _ progress: UploadProgress?, _ clock: ExchangeClock,
    _ stage: ClientFault.Stage
  ) -> any Error {
    let fault: TransportError
    if clock.isOver {
      fault = TransportError(
        kind: .timedOut, detail: "after \(request.timeoutInterval) s",
        mayHaveBeenProcessed: true, statusCode: stage.statusCode)
    } else if let reason = progress?.failure {
      guard let reason = reason as? TransportError else { return reason }
      fault = reason
    } else if Task.isCancelled {
      return CancellationError()
    } else {
      fault = ClientFault.fault(of: error, at: stage)
    }
    return RESTError(fault, request: RequestSummary(request))
  }
}
