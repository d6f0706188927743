import Foundation
public import RESTKit
public import Streams

/// The part of DogPatch that a view controller needs, which a mock implements in the controller's
/// tests.
public nonisolated protocol DogPatchService: Sendable {
  /// Requests the dogs.
  ///
  /// - Parameter completion: A closure that runs once, with the dogs or the error.
  /// - Returns: A cancellable that cancels the call. Keep it as long as the response is needed.
  func getDogs(
    completion: @escaping @Sendable (Result<[Dog], any Error>) -> Void
  ) -> AnyCancellable
}

/// A client of DogPatch's server, with a base URL, a transport, and a scheduler for its callbacks.
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
