import Foundation
import Streams

extension TypedFailureAPI {
  /// Sends the request of an endpoint and delivers the response as it arrives, with the API's
  /// failure.
  ///
  /// Otherwise it is that of ``RESTAPI``.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint.
  ///   - requestModifier: A closure that changes the request before each attempt.
  public func events(
    _ endpoint: some Endpoint, requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<TransferEvent, Failure> {
    untyped.events(endpoint, requestModifier: requestModifier).failing(with: Failure.self)
  }

  /// Sends the body of an endpoint, reports the progress, and collects the response, with the API's
  /// failure.
  ///
  /// ```swift
  /// api.upload(PutPhoto(id: 7, file: photo))
  ///   .handleProgress { print($0) }
  ///   .decode(type: Photo.self)   // AnyPublisher<Photo, ShopFailure>
  /// ```
  ///
  /// Otherwise it is that of ``RESTAPI``.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint.
  ///   - requestModifier: A closure that changes the request before each attempt.
  public func upload(
    _ endpoint: some Endpoint, requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<UploadEvent, Failure> {
    untyped.upload(endpoint, requestModifier: requestModifier).failing(with: Failure.self)
  }

  /// Downloads the response of an endpoint into a file, with the API's failure.
  ///
  /// Otherwise it is that of ``RESTAPI``.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint.
  ///   - file: The location of the file.
  ///   - requestModifier: A closure that changes the request before each attempt.
  public func download(
    _ endpoint: some Endpoint, to file: URL,
    requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<DownloadEvent, Failure> {
    untyped.download(endpoint, to: file, requestModifier: requestModifier)
      .failing(with: Failure.self)
  }
}

extension Publisher where Output == UploadEvent, Failure: APIFailure {
  /// Fails if the status of the upload's response is not accepted, with the API's failure.
  ///
  /// The progress passes. The failure is made of the ``RESTError`` of `validateStatus(_:)` of a
  /// response.
  ///
  /// - Parameter accepted: The accepted statuses.
  public func validateStatus(
    _ accepted: ClosedRange<Int> = 200...299
  ) -> Publishers.TryMap<Self, UploadEvent, Failure> {
    tryMap { event throws(Failure) in
      do throws(RESTError) {
        try event.response?.requireStatus(accepted)
      } catch {
        throw Failure(error)
      }
      return event
    }
  }

  /// Decodes the body of the response to an upload, if its status is 200...299, with the API's
  /// failure.
  ///
  /// Progress is left out; `handleProgress` before it sees it. The failure is made of the errors of
  /// `decode(type:decoder:)` for a response.
  ///
  /// - Parameters:
  ///   - type: The type to decode.
  ///   - decoder: The decoder; nil for that of the API, or a plain one if the API has none. It runs
  ///     on the thread that delivers the response.
  public func decode<Item: Decodable & Sendable>(
    type: Item.Type, decoder: JSONDecoder? = nil
  ) -> AnyPublisher<Item, Failure> {
    mapError { $0 as any Error }.decode(type: type, decoder: decoder)
      .mapError(Failure.of)
      .eraseToAnyPublisher()
  }
}
