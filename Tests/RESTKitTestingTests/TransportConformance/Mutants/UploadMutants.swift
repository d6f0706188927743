import Foundation
import RESTKit
import RESTKitTesting
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension TransportMutant {
  /// The bodies that they send.
  static let ofUploads: [TransportMutant] = [
    .events("tells nothing of an upload's progress", .uploads) { events in
      events.filter { if case .sent = $0 { false } else { true } }.eraseToAnyPublisher()
    },
    .events("does not know the total of an upload", .uploads) { events in
      events.mapProgress { TransferProgress(completedBytes: $0.completedBytes, totalBytes: nil) }
    },
    .events("counts an upload backwards", .uploads) { events in
      events.mapProgress { progress in
        TransferProgress(
          completedBytes: (1 << 20) - progress.completedBytes, totalBytes: progress.totalBytes)
      }
    },
    .upload("sends a file in chunks without a length", .uploads) { body in
      guard let file = body?.file, let data = try? Data(contentsOf: file) else { return body }
      return .chunks(Just(data).setFailureType(to: (any Error).self))
    },
    .upload("sends only the first chunk of a body without a length", .uploads) { body in
      guard case .chunks(let chunks, nil)? = body?.source else { return body }
      return .chunks(chunks.prefix(1))
    },
    .pieces("sends a body once more behind its response", .uploads) { inner, request, body in
      let events = inner.events(for: request, body: body)
      guard case .data? = body?.source else { return events }
      return events.append(events.filter { _ in false }).eraseToAnyPublisher()
    },
    .pieces("sends no body besides that of the request", .uploads) { inner, request, body in
      body == nil
        ? inner.events(for: request, body: nil) : Fail(error: BreakError()).eraseToAnyPublisher()
    },

    .pieces("takes the failure of a body for an end", .bodyFailures) { inner, request, body in
      inner.events(for: request, body: body).tryCatch { error in
        guard TransportError(of: error) == nil else { throw error }
        return Empty<TransferEvent, any Error>()
      }.eraseToAnyPublisher()
    },
    .upload("cuts a body to the length that was announced", .bodyFailures) { body in
      guard case .chunks(let chunks, let length?)? = body?.source else { return body }
      let whole = chunks.reduce(Data()) { $0 + $1 }.map { $0.prefix(Int(length)) }
      return .chunks(whole, length: min(length, 1 << 20))
    },
    .upload("sends nothing in place of a file that is not there", .bodyFailures) { body in
      guard let file = body?.file else { return body }
      return FileManager.default.fileExists(atPath: file.path) ? body : .data(Data())
    },
    .pieces("sends one of two bodies", .bodyFailures) { inner, request, body in
      inner.events(for: body == nil ? request : request.setting(body: nil), body: body)
    },
    .pieces("has a failure of its own for that of a body", .bodyFailures) { inner, request, body in
      inner.events(for: request, body: body).mapError { error in
        TransportError(of: error) ?? TransportError(kind: .sendFailed, mayHaveBeenProcessed: true)
      }.eraseToAnyPublisher()
    },

    .upload("takes each body for one that can be sent again", .onceOnly) { body in
      guard case .chunks(let chunks, let length)? = body?.source else { return body }
      return .chunks(chunks, length: length, isReplayable: true)
    },
    TransportMutant("keeps the bytes of a body and sends them again", [.onceOnly]) { inner in
      let kept = Lock<Data?>(nil)
      var spoiled = SpoiledTransport(inner)
      spoiled.pieces = { request, body in
        if let data = kept.withLock({ $0 }) { return inner.events(for: request, body: .data(data)) }
        guard case .chunks(let chunks, _)? = body?.source else {
          return inner.events(for: request, body: body)
        }
        return chunks.reduce(Data()) { $0 + $1 }.flatMap { data in
          kept.withLock { $0 = data }
          return inner.events(for: request, body: .data(data))
        }.eraseToAnyPublisher()
      }
      return spoiled
    },
    .pieces("sends nothing in place of a body that was sent", .onceOnly) { inner, request, body in
      inner.events(for: request, body: body).catch { error in
        TransportError(of: error)?.kind == .invalidRequest
          ? inner.events(for: request, body: nil) : Fail(error: error).eraseToAnyPublisher()
      }.eraseToAnyPublisher()
    },
    TransportMutant("sends no body again, not even one that can be", [.onceOnly]) { inner in
      let uses = Lock(0)
      var spoiled = SpoiledTransport(inner)
      spoiled.pieces = { request, body in
        let isFirst =
          body?.isReplayable != true
          || uses.withLock {
            $0 += 1; return $0 == 1
          }
        let fault = TransportError(kind: .invalidRequest, mayHaveBeenProcessed: false)
        return isFirst
          ? inner.events(for: request, body: body) : Fail(error: fault).eraseToAnyPublisher()
      }
      return spoiled
    },

    .upload("does not cancel the publisher of a body", .bodyCancel, hangs: true) { body in
      guard case .chunks(let chunks, let length)? = body?.source else { return body }
      return .chunks(chunks.uncanceled(), length: length)
    },
    .pieces("goes on with an upload after a cancel", .bodyCancel, hangs: true) {
      inner, request, body in
      inner.events(for: request, body: body).uncanceled()
    },
    .pieces("sends what it has of a body at a cancel", .bodyCancel) { inner, request, body in
      guard case .chunks(let chunks, _)? = body?.source else {
        return inner.events(for: request, body: body)
      }
      let stop = PassthroughSubject<Void, Never>()
      return inner.events(for: request, body: .chunks(chunks.prefix(untilOutputFrom: stop)))
        .uncanceled { stop.send(()) }
    },
  ]

  /// It sends another body.
  private static func upload(
    _ name: String, _ rules: TransportRule..., hangs: Bool = false,
    by change: @escaping @Sendable (RequestBody?) -> RequestBody?
  ) -> TransportMutant {
    TransportMutant(name, rules, hangs: hangs) { inner in
      var spoiled = SpoiledTransport(inner)
      spoiled.pieces = { inner.events(for: $0, body: change($1)) }
      return spoiled
    }
  }
}

extension Publisher where Output == TransferEvent, Failure == any Error {
  fileprivate func mapProgress(
    _ transform: @escaping @Sendable (TransferProgress) -> TransferProgress
  ) -> PiecesExchange {
    map { event in
      guard case .sent(let progress) = event else { return event }
      return .sent(transform(progress))
    }.eraseToAnyPublisher()
  }
}
