import Dispatch
import Foundation
import RESTKit
import RESTKitTesting
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension TransportMutant {
  /// The limits of size and time.
  static let ofLimits: [TransportMutant] = [
    .limited("has no limits on bodies", .bodyLimit) { limits in
      limits.bodyBytes = .max
      limits.errorBodyBytes = .max
    },
    .limited("does not tell its limits", .bodyLimit, by: { _ in }) { spoiled, _ in
      spoiled.limits = TransportLimits()
    },
    .limited("looks only at the length that a head announces", .bodyLimit) { limits in
      limits.bodyBytes = .max
      limits.errorBodyBytes = .max
    } spoil: { spoiled, limits in
      let inner = spoiled.whole
      spoiled.whole = { request in
        inner(request).tryMap { response in
          let most = limits.bodyLimit(status: response.statusCode)
          guard let length = response.headers["Content-Length"].flatMap({ Int($0) }),
            length > most.bytes
          else { return response }
          throw TransportError(
            kind: .limitExceeded(most.kind), mayHaveBeenProcessed: true,
            statusCode: response.statusCode)
        }.eraseToAnyPublisher()
      }
    },
    .limited("refuses a body of the limit's size", .bodyLimit) { limits in
      limits.bodyBytes -= 1
      limits.errorBodyBytes -= 1
    },
    .limited("cuts a body at the limit", .bodyLimit) { limits in
      limits.bodyBytes = .max
      limits.errorBodyBytes = .max
    } spoil: { spoiled, limits in
      let inner = spoiled.whole
      spoiled.whole = { request in
        inner(request).map { response in
          let most = limits.bodyLimit(status: response.statusCode).bytes
          return response.replacing(data: response.data.prefix(most))
        }.eraseToAnyPublisher()
      }
    },
    .fault("has one limit for all bodies", .bodyLimit) { fault in
      fault.kind == .limitExceeded(.errorBodyBytes)
        ? fault.replacing(kind: .limitExceeded(.bodyBytes)) : fault
    },
    .fault("forgets the status of a response that it refuses", .bodyLimit) { fault in
      TransportError(
        kind: fault.kind, detail: fault.detail, mayHaveBeenProcessed: fault.mayHaveBeenProcessed)
    },

    .limited("does not count header lines", .headerLimit) { $0.headerCount = .max },
    .limited("does not count the bytes of headers", .headerLimit) { $0.headerBytes = .max },
    .limited("leaves out the header lines over the limit", .headerLimit) { limits in
      limits.headerCount = .max
      limits.headerBytes = .max
    } spoil: { spoiled, limits in
      let inner = spoiled.whole
      spoiled.whole = { request in
        inner(request).map { response in
          let headers = HTTPHeaders(Array(response.headers.prefix(limits.headerCount / 2)))
          return response.replacing(head: response.head.replacing(headers: headers))
        }.eraseToAnyPublisher()
      }
    },

    .whole("waits for a response without end", .deadline, hangs: true) { inner, request in
      inner.response(for: request.setting(time: 0))
    },
    .whole("takes the seconds of the time for milliseconds", .deadline) { inner, request in
      inner.response(for: request.setting(time: max(request.timeoutInterval / 1_000, 0.001)))
    },
    .whole("counts the time anew with each byte", .deadline) { inner, request in
      // Longer, so that a busy machine does not end it.
      inner.events(for: request.setting(time: request.timeoutInterval * 4)).asWhole(request)
    },
    .whole("leaves the connection open when the time is over", .deadline, hangs: true) {
      inner, request in
      inner.response(for: request.setting(time: 0)).uncanceled()
        .timeout(.seconds(request.timeoutInterval), scheduler: DispatchQueue.global()) {
          TransportError(kind: .timedOut, mayHaveBeenProcessed: true)
        }
        .eraseToAnyPublisher()
    },
    .answer("gives what has come when the time is over", .deadline) { _, fault, error, request in
      guard fault.kind == .timedOut, let error = error as? RESTError, let head = error.response
      else { return nil }
      return Just(
        RESTResponse(head: head, data: error.body ?? Data(), request: RequestSummary(request))
      ).setFailureType(to: (any Error).self).eraseToAnyPublisher()
    },

    .pieces("in pieces, waits for the server without end", .silence, hangs: true) {
      inner, request, body in
      inner.events(for: request.setting(time: 0), body: body)
    },
    .pieces("in pieces, ends when the time of a whole exchange is over", .silence) {
      inner, request, body in
      let end = Just(())
        .delay(for: .seconds(request.timeoutInterval), scheduler: DispatchQueue.global())
      return inner.events(for: request, body: body).prefix(untilOutputFrom: end)
        .eraseToAnyPublisher()
    },

    .pieces("in pieces, fails when the time of a whole exchange is over", .silence) {
      inner, request, body in
      let end = Just(())
        .delay(for: .seconds(request.timeoutInterval), scheduler: DispatchQueue.global())
      let isWhole = Lock(false)
      let fault = TransportError(kind: .timedOut, mayHaveBeenProcessed: true)
      return inner.events(for: request, body: body)
        .handleEvents(receiveCompletion: { end in isWhole.withLock { $0 = true } })
        .prefix(untilOutputFrom: end)
        .append(
          Deferred {
            isWhole.withLock { $0 }
              ? Empty<TransferEvent, any Error>().eraseToAnyPublisher()
              : Fail(error: RESTError(fault, request: RequestSummary(request)))
                .eraseToAnyPublisher()
          }
        ).eraseToAnyPublisher()
    },

    .limited("has the limit of whole bodies for those in pieces", .beyondLimit, by: { _ in }) {
      spoiled, limits in
      let inner = spoiled.pieces
      spoiled.pieces = { request, body in
        let count = Lock(0)
        return inner(request, body).tryMap { event in
          guard case .chunk(let chunk) = event else { return event }
          let sum = count.withLock { count in
            count += chunk.count
            return count
          }
          guard sum <= limits.bodyBytes else {
            throw TransportError(kind: .limitExceeded(.bodyBytes), mayHaveBeenProcessed: true)
          }
          return event
        }.eraseToAnyPublisher()
      }
    },
    .limited("cuts each piece at the limit of whole bodies", .beyondLimit, by: { _ in }) {
      spoiled, limits in
      let inner = spoiled.pieces
      spoiled.pieces = { inner($0, $1).mapChunks { $0.prefix(limits.bodyBytes) } }
    },
  ]
}
