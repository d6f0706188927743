import Foundation
import RESTKit
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A player of scripts.
protocol StubWorld: Sendable {
  var limits: TransportLimits { get }

  /// The scheduler on which a request's body may be silent.
  var clock: any Scheduler { get }

  /// Returns the response of an exchange.
  ///
  /// It is subscribed to once.
  func answer(_ played: PlayedExchange) -> AnyPublisher<RESTResponse, any Error>

  /// Returns the response of an exchange in pieces.
  ///
  /// It is subscribed to once. The caller records the end.
  func pieces(_ played: PlayedExchange) -> AnyPublisher<TransferEvent, any Error>
}

extension StubWorld {
  var clock: any Scheduler { .continuous }
}

/// A request with its response.
struct PlayedExchange: Sendable {
  let request: URLRequest
  let play: StubPlay
  let id: Int
  let log: StubLog
  /// The names of secrets that the API of the request declares; nil for none.
  var declaredSecrets: DeclaredSecrets?

  var step: StubStep { play.step }

  /// Returns the failure of a request without a URL.
  static func refusal(of request: URLRequest) -> RESTError {
    let fault = TransportError(
      kind: .unsupportedURL, detail: "the request has no URL", mayHaveBeenProcessed: false)
    return RESTError(fault, request: RequestSummary(request))
  }

  /// The response that comes whole and takes no time, as that of most stubs, without a timeline;
  /// nil for any other, and for one that the rules of engines change.
  func responseAtOnce(within limits: TransportLimits) -> RESTResponse? {
    guard case .success = play.step.result, play.step.flow == nil, play.step.bytesPerSecond == nil,
      play.step.delay <= .zero, play.hasPlainHead, let url = request.url
    else { return nil }
    let data = play.step.body(for: request)
    guard limits.allows(play.step, data) else { return nil }
    return RESTResponse(
      head: ResponseHead(
        url: url, statusCode: play.step.statusCode, headers: play.step.headers(for: request)),
      data: data, request: RequestSummary(request))
  }

  func end(_ result: Result<RESTResponse, any Error>) {
    switch result {
    case .success(let response):
      log.end(id, .answered(response.statusCode), bytes: response.data.count)
    case .failure: log.end(id, .failed)
    }
  }

  func cancel() {
    log.end(id, .cancelled)
  }

  /// Records the outcome of an exchange in pieces in the journal.
  func noting(
    _ pieces: AnyPublisher<TransferEvent, any Error>
  ) -> AnyPublisher<TransferEvent, any Error> {
    let status = Lock(step.statusCode)
    return pieces.handleEvents(
      receiveOutput: { event in
        switch event {
        case .sent: break
        // While recording, this is the status of a real server.
        case .head(let head): status.withLock { $0 = head.statusCode }
        case .chunk(let chunk): log.note(chunk.count, of: id)
        }
      },
      receiveCompletion: { completion in
        switch completion {
        case .finished: log.end(id, .answered(status.withLock { $0 }))
        case .failure: log.end(id, .failed)
        }
      },
      receiveCancel: { cancel() }
    )
    .eraseToAnyPublisher()
  }
}

extension URLRequest {
  /// Refuses a request that no transport sends.
  ///
  /// - Parameter body: The body that comes besides the request.
  func validate(with body: RequestBody? = nil) throws(RESTError) {
    do throws(TransportError) {
      try validateForSending(body: body)
    } catch {
      throw RESTError(error, request: RequestSummary(self))
    }
  }
}

extension TransportLimits {
  /// Whether a response with a plain head and this body is surely within the limits.
  fileprivate func allows(_ step: StubStep, _ data: Data) -> Bool {
    data.count <= bodyLimit(status: step.statusCode).bytes
      && (step.headers.isEmpty || headerCount >= 20 && headerBytes >= 20_000)
  }
}
