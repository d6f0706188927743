import Foundation
import Streams

/// A step of an upload.
public enum UploadEvent: Sendable {
  /// The number of bytes of the body that were sent so far.
  ///
  /// The progress begins again after a redirect that keeps the body.
  case progress(TransferProgress)
  /// The complete response, of any status. It is the last value.
  case response(RESTResponse)

  /// The response; nil for an event of progress.
  ///
  /// `compactMap(\.response)` makes a publisher of the response of an upload.
  public var response: RESTResponse? {
    if case .response(let response) = self { response } else { nil }
  }
}

extension Publisher where Output == UploadEvent, Failure == any Error {
  /// Decodes the body of the response to an upload, if its status is 200...299.
  ///
  /// Progress is left out; `handleProgress` before it sees it. The errors are those of
  /// `decode(type:decoder:)` for a response.
  ///
  /// - Parameters:
  ///   - type: The type to decode.
  ///   - decoder: The decoder; nil for that of the API, or a plain one if the API has none. It runs
  ///     on the thread that delivers the response.
  public func decode<Item: Decodable & Sendable>(
    type: Item.Type, decoder: JSONDecoder? = nil
  ) -> AnyPublisher<Item, any Error> {
    compactMap(\.response).decode(type: type, decoder: decoder).eraseToAnyPublisher()
  }
}
