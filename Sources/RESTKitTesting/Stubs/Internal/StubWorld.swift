import Foundation
import RESTKit
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Where a script is played.
protocol StubWorld: Sendable {
  var limits: TransportLimits { get }

  /// What a client gets in its turn; subscribed to once.
  func answer(_ turn: StubTurn) -> AnyPublisher<RESTResponse, any Error>

  /// The same in pieces; subscribed to once. Whoever asks for it notes the end.
  func pieces(_ turn: StubTurn) -> AnyPublisher<TransferEvent, any Error>
}

/// A request with the response that is for it.
struct StubTurn: Sendable {
  let request: URLRequest
  let play: StubPlay
  let id: Int
  let ledger: StubLedger

  var step: StubStep { play.step }

  /// What a request without a URL fails with.
  var refusal: RESTError { Self.refusal(of: request) }

  /// What a request fails with that has no URL.
  static func refusal(of request: URLRequest) -> RESTError {
    let fault = TransportError(
      kind: .unsupportedURL, detail: "the request has no URL", mayHaveBeenProcessed: false)
    return RESTError(fault, request: RequestSummary(request))
  }

  /// The response that comes whole and takes no time, as that of most stubs, without a timeline; nil for any
  /// other.
  var responseAtOnce: RESTResponse? {
    guard case .success = play.step.result, play.step.flow == nil, play.step.bytesPerSecond == nil,
      play.step.delay <= .zero, let url = request.url
    else { return nil }
    return RESTResponse(
      head: ResponseHead(
        url: url, statusCode: play.step.statusCode, headers: play.step.headers),
      data: play.step.body(for: request), request: RequestSummary(request))
  }

  func end(_ result: Result<RESTResponse, any Error>) {
    switch result {
    case .success(let response):
      ledger.end(id, .answered(response.statusCode), bytes: response.data.count)
    case .failure: ledger.end(id, .failed)
    }
  }

  func cancel() {
    ledger.end(id, .cancelled)
  }

  /// Notes in the journal what comes of an exchange in pieces.
  func noting(
    _ pieces: AnyPublisher<TransferEvent, any Error>
  ) -> AnyPublisher<TransferEvent, any Error> {
    let status = Lock(step.statusCode)
    return pieces.handleEvents(
      receiveOutput: { event in
        switch event {
        case .sent: break
        // That of a real server, where the exchange is recorded.
        case .head(let head): status.withLock { $0 = head.statusCode }
        case .chunk(let chunk): ledger.note(chunk.count, of: id)
        }
      },
      receiveCompletion: { completion in
        switch completion {
        case .finished: ledger.end(id, .answered(status.withLock { $0 }))
        case .failure: ledger.end(id, .failed)
        }
      },
      receiveCancel: { cancel() }
    )
    .eraseToAnyPublisher()
  }
}
