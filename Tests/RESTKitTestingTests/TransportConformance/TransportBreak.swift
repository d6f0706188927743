import Foundation
import RESTKit
import RESTKitTesting
import Streams
import Synchronization

/// A fault of a transport.
enum TransportBreak: Sendable {
  case failsOnStatus, followsRedirects, joinsHeaderLines, keepsCookies, caches
  case takesCutForWhole, saysNothingWasProcessed, repeatsAnything, tellsSecrets
  case dropsHeaders, startsAtOnce, ignoresCancel, ignoresLimits
  case ignoresDemand, losesProgress, losesChunks, losesTotals
  case takesFailuresForEnds, takesBodyFailuresForEnds, failsUploads, losesPuts
  case deliversOnOneQueue, holdsPieces, failsOnEarlyResponses
  case outlivesItsUse(Keeper)

  /// Keeps transports that should be released.
  final class Keeper: Sendable {
    let transports = Mutex<[any Transport]>([])
  }

  /// Each of them, and a rule that it breaks.
  static let all: [(TransportBreak, TransportRule)] = [
    (.failsOnStatus, .statuses), (.followsRedirects, .redirects),
    (.joinsHeaderLines, .headerLines), (.keepsCookies, .cookies), (.caches, .cache),
    (.takesCutForWhole, .cut), (.saysNothingWasProcessed, .closed),
    (.repeatsAnything, .noRepeat), (.tellsSecrets, .secrets), (.dropsHeaders, .refusals),
    (.startsAtOnce, .laziness), (.ignoresCancel, .cancel), (.ignoresLimits, .bodyLimit),
    (.ignoresDemand, .demand), (.losesProgress, .uploads), (.losesChunks, .pieces),
    (.losesTotals, .uploads), (.failsUploads, .uploads),
    (.takesFailuresForEnds, .refused), (.takesFailuresForEnds, .refusals),
    (.takesFailuresForEnds, .cut), (.takesFailuresForEnds, .silence),
    (.takesFailuresForEnds, .bodyFailures), (.takesBodyFailuresForEnds, .bodyFailures),
    (.losesPuts, .wholeRepeat), (.deliversOnOneQueue, .blocking),
    (.outlivesItsUse(Keeper()), .lifetime), (.holdsPieces, .promptHead),
    (.holdsPieces, .promptChunks), (.failsOnEarlyResponses, .earlyResponse),
  ]
}

/// A failure that is none of a transport's.
struct BreakError: Error, CustomStringConvertible {
  var description = "broken on purpose"
}

/// Requests everything and delivers it without regard to the demand.
struct Pushing: Publisher {
  typealias Output = TransferEvent
  typealias Failure = any Error

  let upstream: AnyPublisher<TransferEvent, any Error>

  func receive(subscriber: some Subscriber<TransferEvent, any Error>) {
    upstream.receive(
      subscriber: AnySubscriber<TransferEvent, any Error>(
        receiveSubscription: { subscription in
          subscriber.receive(subscription: subscription)
          subscription.request(.unlimited)
        },
        receiveValue: { subscriber.receive($0) },
        receiveCompletion: { subscriber.receive(completion: $0) }))
  }
}

extension RESTResponse {
  func replacing(headers: HTTPHeaders) -> RESTResponse {
    RESTResponse(
      head: ResponseHead(url: url, statusCode: statusCode, headers: headers), data: data,
      request: request)
  }
}
