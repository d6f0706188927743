import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Carries one request to a server and brings back its response: the seam where engines, stubs and
/// test servers plug in.
///
/// A transport makes one exchange for each subscription. It follows no redirect, stores no cookie
/// and answers no challenge: RESTKit does what is to be done with a 3xx or a 401. Any response is a
/// value, whatever its status; a failure means that there is no whole response. A cancel ends the
/// exchange and closes or frees its connection.
public protocol Transport: Sendable {
  /// The whole response to a request.
  ///
  /// - Parameter request: What to send. Its `timeoutInterval`, in seconds, is the time for the
  ///   whole exchange; where it is not positive or not finite there is no limit.
  func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error>

  /// The response to a request in pieces: its head, then its body in chunks as they are asked for.
  ///
  /// - Parameter request: As for ``response(for:)``.
  func events(for request: URLRequest) -> AnyPublisher<ResponseEvent, any Error>
}

extension Transport {
  /// The whole response, in two pieces: for a transport that has no other way.
  public func events(for request: URLRequest) -> AnyPublisher<ResponseEvent, any Error> {
    response(for: request)
      .flatMap { response in
        let chunks = response.data.isEmpty ? [] : [ResponseEvent.chunk(response.data)]
        return ([.head(response.head)] + chunks).publisher
      }
      .eraseToAnyPublisher()
  }
}
