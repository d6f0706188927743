import Foundation
public import RESTKit
public import Streams

/// What a view controller needs of DogPatch; a mock conforms to it in the controller's own tests.
public nonisolated protocol DogPatchService: Sendable {
  /// - Parameter completion: Runs once, with the dogs or with why there are none.
  /// - Returns: What cancels the call; keep it as long as the answer is wanted.
  func getDogs(
    completion: @escaping @Sendable (Result<[Dog], any Error>) -> Void
  ) -> AnyCancellable
}

/// The client of DogPatch's server: a base URL, what carries requests, and where it calls back.
public struct DogPatchClient: RESTAPI, DogPatchService {
  public let baseURL: String
  public let transport: any Transport
  public let responseQueue: any Scheduler

  public init(
    baseURL: String, transport: any Transport = .shared, responseQueue: any Scheduler = .mainActor
  ) {
    self.baseURL = baseURL
    self.transport = transport
    self.responseQueue = responseQueue
  }

  public func getDogs(
    completion: @escaping @Sendable (Result<[Dog], any Error>) -> Void
  ) -> AnyCancellable {
    send(Dogs(), on: responseQueue, completion: completion)
  }

  private struct Dogs: Endpoint {
    typealias Response = [Dog]

    var path: ResourcePath { "dogs" }

    var decoder: JSONDecoder {
      let decoder = JSONDecoder()
      decoder.dateDecodingStrategy = .iso8601
      return decoder
    }
  }
}
