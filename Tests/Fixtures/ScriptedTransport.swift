import Foundation
import RESTKit
import Streams
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A transport that gives one response after another, the last one for ever, in virtual time.
package final class ScriptedTransport: Transport {
  package enum ServerResponse: Sendable {
    case status(Int, HTTPHeaders = [:], body: Data = Data())
    case fault(TransportError.Kind, mayHaveBeenProcessed: Bool = true, status: Int? = nil)
    case failure(any Error)
    case silence
  }

  private struct State {
    var requests: [URLRequest] = []
    var times: [Duration] = []
    var cancelCount = 0
  }

  private let answer: @Sendable (Int, URLRequest) -> ServerResponse
  private let duration: Duration
  private let scheduler: any Scheduler
  private let state = Mutex(State())

  /// - Parameters:
  ///   - duration: How long each response takes.
  ///   - answer: Gives the response to a request, the first of which has number 1.
  package init(
    on scheduler: any Scheduler, taking duration: Duration = .zero,
    answer: @escaping @Sendable (Int, URLRequest) -> ServerResponse
  ) {
    self.answer = answer
    self.duration = duration
    self.scheduler = scheduler
  }

  package convenience init(
    _ answers: ServerResponse..., on scheduler: any Scheduler, taking duration: Duration = .zero
  ) {
    self.init(on: scheduler, taking: duration) { number, _ in
      answers[min(number, answers.count) - 1]
    }
  }

  package var requests: [URLRequest] { state.withLock { $0.requests } }

  package func forgetRequests() { state.withLock { $0.requests = [] } }

  /// When each request came.
  package var times: [Duration] { state.withLock { $0.times } }

  /// How many exchanges were cancelled before they had a response.
  package var cancelCount: Int { state.withLock { $0.cancelCount } }

  package func values(of field: String) -> [String?] {
    requests.map { $0.value(forHTTPHeaderField: field) }
  }

  package func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
    Single { [self] resolve in
      let now = scheduler.now
      let number = state.withLock { state in
        state.requests.append(request)
        state.times.append(now)
        return state.requests.count
      }
      let answer = answer(number, request)
      if case .silence = answer {
        return AnyCancellable { [self] in state.withLock { $0.cancelCount += 1 } }
      }
      let result = Result { try response(answer, to: request) }
      guard duration > .zero else {
        resolve(result)
        return Subscriptions.empty
      }
      return scheduler.schedule(after: duration) { resolve(result) }
    }
    .eraseToAnyPublisher()
  }

  private func response(_ answer: ServerResponse, to request: URLRequest) throws -> RESTResponse {
    switch answer {
    case .status(let status, let headers, let body):
      return try RESTResponse(to: request, status: status, headers: headers, data: body)
    case .fault(let kind, let mayHaveBeenProcessed, let status):
      let fault = TransportError(
        kind: kind, mayHaveBeenProcessed: mayHaveBeenProcessed, statusCode: status)
      throw RESTError(fault, request: RequestSummary(request))
    case .failure(let error): throw error
    case .silence: throw TestFailure(name: "silence")
    }
  }
}
