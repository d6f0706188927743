import Foundation
import Streams

extension RequestBody {
  /// Returns this body, whose publisher fails if it gives no chunk for too long.
  ///
  /// A body that is collected before it is sent would otherwise keep its request open for ever.
  ///
  /// - Parameters:
  ///   - limit: The longest time without a chunk or the end; nil for no limit.
  ///   - clock: The scheduler that measures the time, and delivers the failure.
  package func failingInSilence(
    of limit: Duration?, clock: any Scheduler = .continuous
  ) -> RequestBody {
    guard let limit else { return self }
    return mappingChunks { chunks in
      Publishers.TimedInPlace(chunks, ChunkSilence(limit: limit), clock: clock)
        .eraseToAnyPublisher()
    }
  }
}

/// A stage that fails a body without a chunk for too long.
private struct ChunkSilence: Publishers.TimedStage {
  let limit: Duration

  func receive(
    _ event: Publishers.TimedEvent<Data, any Error>,
    outlet: inout Publishers.Outlet<Data, any Error>
  ) {
    switch event {
    case .begin: outlet.deadline = outlet.now.adding(limit)
    case .demand(let demand): outlet.request += demand
    case .delivery: break
    case .value(let chunk):
      outlet.send(chunk)
      outlet.deadline = outlet.now.adding(limit)
    case .end(let completion):
      outlet.deadline = nil
      outlet.end = .afterValues(completion)
    case .wake:
      outlet.end = .lapsed { [limit] in
        .failure(TransportError.beforeSending(.timedOut, "its body was silent for \(limit)"))
      }
    }
  }
}
