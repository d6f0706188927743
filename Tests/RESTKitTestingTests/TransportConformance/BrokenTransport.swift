import Dispatch
import Foundation
import RESTKit
import Streams
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A transport that breaks one rule on purpose.
struct BrokenTransport: Transport {
  private let transport: any Transport
  private let rule: TransportBreak
  private let memory = Memory()

  /// State that the transport should not keep.
  private final class Memory: Sendable {
    let responses = Mutex<[String: RESTResponse]>([:])
    let cookie = Mutex<String?>(nil)
    let calls = Mutex<[AnyCancellable]>([])
    let hasLost = Mutex(false)
    let queue = DispatchQueue(label: "BrokenTransport")
  }

  init(_ transport: any Transport, _ rule: TransportBreak) {
    self.transport = transport
    self.rule = rule
    if case .outlivesItsUse(let keeper) = rule {
      keeper.transports.withLock { $0.append(transport) }
    }
  }

  var limits: TransportLimits { transport.limits }

  func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
    let inner = transport.response(for: request)
    switch rule {
    case .failsOnStatus:
      return inner.tryMap { response in
        guard response.isSuccess else { throw BreakError() }
        return response
      }.eraseToAnyPublisher()
    case .followsRedirects:
      return inner.flatMap { [transport] response -> AnyPublisher<RESTResponse, any Error> in
        guard let place = response.headers["Location"],
          let url = URL(string: place, relativeTo: request.url)
        else { return Just(response).setFailureType(to: (any Error).self).eraseToAnyPublisher() }
        return transport.response(for: URLRequest(url: url.absoluteURL))
      }.eraseToAnyPublisher()
    case .joinsHeaderLines:
      return inner.map { response in
        var headers = HTTPHeaders()
        for (name, _) in response.headers { headers[name] = response.headers[name] }
        return response.replacing(headers: headers)
      }.eraseToAnyPublisher()
    case .keepsCookies:
      var request = request
      if let cookie = memory.cookie.withLock({ $0 }) {
        request.setValue(cookie, forHTTPHeaderField: "Cookie")
      }
      return transport.response(for: request).handleEvents(receiveOutput: { [memory] response in
        memory.cookie.withLock { $0 = response.headers["Set-Cookie"] }
      }).eraseToAnyPublisher()
    case .caches:
      let key = request.url?.absoluteString ?? ""
      if let known = memory.responses.withLock({ $0[key] }) {
        return Just(known).setFailureType(to: (any Error).self).eraseToAnyPublisher()
      }
      return inner.handleEvents(receiveOutput: { [memory] response in
        memory.responses.withLock { $0[key] = response }
      }).eraseToAnyPublisher()
    case .takesCutForWhole:
      return inner.catch { error -> AnyPublisher<RESTResponse, any Error> in
        guard (error as? RESTError)?.kind == .transport(.bodyCut), let url = request.url else {
          return Fail(error: error).eraseToAnyPublisher()
        }
        return Just(
          RESTResponse(
            head: ResponseHead(url: url, statusCode: 200), data: Data(),
            request: RequestSummary(request))
        ).setFailureType(to: (any Error).self).eraseToAnyPublisher()
      }.eraseToAnyPublisher()
    case .saysNothingWasProcessed:
      return inner.mapError { error in
        guard let fault = (error as? RESTError)?.underlyingError as? TransportError else {
          return error
        }
        return TransportError(kind: fault.kind, detail: fault.detail, mayHaveBeenProcessed: false)
      }.eraseToAnyPublisher()
    case .repeatsAnything:
      return inner.retry(1).eraseToAnyPublisher()
    case .dropsHeaders:
      var request = request
      for name in ["Host", "Connection", "Transfer-Encoding", "content-length"] {
        request.setValue(nil, forHTTPHeaderField: name)
      }
      return transport.response(for: request)
    case .startsAtOnce:
      memory.calls.withLock { calls in
        calls.append(inner.sink(receiveCompletion: { _ in }, receiveValue: { _ in }))
      }
      return inner
    case .ignoresCancel:
      return Single<RESTResponse, any Error> { [memory] resolve in
        let running = inner.sink(
          receiveCompletion: { if case .failure(let error) = $0 { resolve(.failure(error)) } },
          receiveValue: { resolve(.success($0)) })
        memory.calls.withLock { $0.append(running) }
        return AnyCancellable {}
      }.eraseToAnyPublisher()
    case .tellsSecrets:
      return inner.mapError {
        BreakError(description: "\(request.url?.absoluteString ?? "") \($0)")
      }
      .eraseToAnyPublisher()
    case .losesPuts:
      guard request.httpMethod == "PUT" else { return inner }
      let fault = TransportError(
        kind: .connectionClosedBeforeResponse, mayHaveBeenProcessed: false)
      return Fail(error: fault).eraseToAnyPublisher()
    case .deliversOnOneQueue: return inner.receive(on: memory.queue).eraseToAnyPublisher()
    case .ignoresDemand, .losesProgress, .losesChunks, .losesTotals, .outlivesItsUse,
      .ignoresLimits, .takesFailuresForEnds, .takesBodyFailuresForEnds, .failsUploads,
      .holdsPieces, .failsOnEarlyResponses:
      return inner
    }
  }

  func events(
    for request: URLRequest, body: RequestBody?
  ) -> AnyPublisher<TransferEvent, any Error> {
    let inner = transport.events(for: request, body: body)
    switch rule {
    case .ignoresDemand: return Pushing(upstream: inner).eraseToAnyPublisher()
    case .deliversOnOneQueue: return inner.receive(on: memory.queue).eraseToAnyPublisher()
    case .losesProgress:
      return inner.filter { if case .sent = $0 { false } else { true } }.eraseToAnyPublisher()
    case .losesChunks:
      return inner.filter { [memory] event in
        guard case .chunk = event else { return true }
        return memory.hasLost.withLock { hasLost in
          defer { hasLost = true }
          return hasLost
        }
      }.eraseToAnyPublisher()
    case .losesTotals:
      return inner.map { event in
        guard case .sent(let progress) = event else { return event }
        return .sent(TransferProgress(completedBytes: progress.completedBytes, totalBytes: nil))
      }.eraseToAnyPublisher()
    case .takesFailuresForEnds:
      return inner.catch { _ in Empty() }.eraseToAnyPublisher()
    case .takesBodyFailuresForEnds:
      return inner.tryCatch { error in
        guard !(error is TransportError || error is RESTError) else { throw error }
        return Empty<TransferEvent, any Error>()
      }.eraseToAnyPublisher()
    case .holdsPieces:
      // Each comes with the next one.
      return inner.map(Optional.some).append(nil as TransferEvent?)
        .scan((held: TransferEvent?.none, event: TransferEvent?.none)) { ($1, $0.held) }
        .compactMap(\.event).eraseToAnyPublisher()
    case .failsOnEarlyResponses:
      return inner.tryMap { event in
        if case .head(let head) = event, head.statusCode == 413 { throw BreakError() }
        return event
      }.eraseToAnyPublisher()
    case .failsUploads:
      return body == nil ? inner : Fail(error: BreakError()).eraseToAnyPublisher()
    default: return inner
    }
  }
}
