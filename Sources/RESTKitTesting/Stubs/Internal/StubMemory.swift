import Foundation
import RESTKit
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Plays a script without a network, in the time of a scheduler.
struct StubMemory: StubWorld {
  /// How long a stall lasts where the request has no limit: a test must end.
  static let patience = Duration.seconds(60)

  let scheduler: any Scheduler
  var limits: TransportLimits { TransportLimits() }

  func answer(_ turn: StubTurn) -> AnyPublisher<RESTResponse, any Error> {
    Single { [scheduler] resolve in
      let (result, time) = Self.outcome(of: turn)
      guard time > .zero else {
        turn.end(result)
        resolve(result)
        return Subscriptions.empty
      }
      let work = scheduler.schedule(after: time) {
        turn.end(result)
        resolve(result)
      }
      return AnyCancellable {
        work.cancel()
        turn.cancel()
      }
    }
    .eraseToAnyPublisher()
  }

  /// What comes, and when.
  private static func outcome(
    of turn: StubTurn
  ) -> (result: Result<RESTResponse, any Error>, time: Duration) {
    let (request, step) = (turn.request, turn.play.step)
    let body = step.body(for: request)
    let limit = request.timeLimit
    if let fault = step.fault {
      let time = fault.isStall ? limit ?? patience : min(step.delay, limit ?? step.delay)
      let isLate = limit.map { step.delay > $0 } ?? false
      return (failure(isLate ? .stall : fault, of: turn), time)
    }
    let time = step.duration(of: body)
    if let limit, time > limit {
      return (failure(step.delay > limit ? .stall : .stallInBody, of: turn), limit)
    }
    return (response(turn, body: body), time)
  }

  private static func failure(
    _ fault: StubFault, of turn: StubTurn
  ) -> Result<RESTResponse, any Error> {
    .failure(
      RESTError(
        fault.transportFault(status: turn.step.statusCode), request: RequestSummary(turn.request)))
  }

  private static func response(
    _ turn: StubTurn, body: Data
  ) -> Result<RESTResponse, any Error> {
    let (request, step) = (turn.request, turn.play.step)
    let summary = RequestSummary(request)
    return step.result.flatMap { _ in
      guard let url = request.url else { return .failure(turn.refusal) }
      let head = ResponseHead(url: url, statusCode: step.statusCode, headers: step.headers)
      return .success(RESTResponse(head: head, data: body, request: summary))
    }
  }
}
