public import Foundation
public import RESTKit
public import Streams
import Synchronization

/// A manager that sends requests to a server.
///
/// A new request cancels the previous one, and so does releasing the manager.
public final class NetworkManager: RESTAPI, NetworkManaging {
  public let baseURL: String
  public let transport: any Transport
  private let scheduler: any Scheduler
  private let running = Mutex<AnyCancellable?>(nil)

  public init(
    baseURL: String, transport: any Transport = .shared,
    callingBackOn scheduler: any Scheduler =
      .mainActor
  ) {
    self.baseURL = baseURL
    self.transport = transport
    self.scheduler = scheduler
  }

  public func request<Model: Decodable & Sendable>(
    _ method: HTTPMethod, _ path: ResourcePath, headers: HTTPHeaders, token: String?, data: Data?,
    as model: Model.Type, completion: @escaping @Sendable (Result<Model?, any Error>) -> Void
  ) {
    let call = send(
      Asking<Model>(
        method: method, path: path, headers: headers.adding(token: token), data: data),
      on: scheduler, completion: completion)
    let last = running.withLock { running in
      defer { running = call }
      return running
    }
    last?.cancel()
  }

  public func cancel() {
    let call = running.withLock { $0.take() }
    call?.cancel()
  }

  private struct Asking<Model: Decodable & Sendable>: Endpoint {
    typealias Response = Model?

    let method: HTTPMethod
    let path: ResourcePath
    let headers: HTTPHeaders
    let data: Data?

    var body: RequestBody? { data.map { .data($0, contentType: "application/json") } }

    func answer(_ response: RESTResponse) throws -> Model? {
      response.statusCode == 204 ? nil : try response.decoded(as: Model.self)
    }
  }
}

nonisolated extension HTTPHeaders {
  fileprivate func adding(token: String?) -> HTTPHeaders {
    var headers = self
    if let token { headers["Authorization"] = "Bearer \(token)" }
    return headers
  }
}
