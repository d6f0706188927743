import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// Cold as every verb: files are looked at when somebody subscribes, and read while they are sent.
extension RESTAPI {
  /// Posts a form with texts, bytes and files, as `multipart/form-data` with that `Content-Type`.
  ///
  /// It delivers like ``post(endpoint:query:body:requestModifier:)``, and fails as ``MultipartForm``
  /// says where the form cannot be sent. A form with files is read as it goes; then the request's
  /// `timeoutInterval`, in seconds, is the time that the server may be silent for. For its progress
  /// use ``upload(_:endpoint:query:multipart:requestModifier:)``.
  ///
  /// - Parameters:
  ///   - endpoint: The path below the base URL. A leading `/` is the same as none.
  ///   - query: Names and values, not encoded.
  ///   - multipart: The form; a list of its parts will do.
  ///   - requestModifier: Changes the request before it is sent, for each attempt; it sees the
  ///     `Content-Type`, whose boundary has to stay.
  public func post(
    endpoint: String, query: [URLQueryItem] = [], multipart: MultipartForm,
    requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<RESTResponse, any Error> {
    RequestSender(for: self).response(
      .post, endpoint: endpoint, query: query, body: .multipart(multipart),
      requestModifier: requestModifier)
  }

  /// Puts a form in the place of a resource; all else is as at
  /// ``post(endpoint:query:multipart:requestModifier:)``.
  ///
  /// - Parameters:
  ///   - endpoint: The path below the base URL. A leading `/` is the same as none.
  ///   - query: Names and values, not encoded.
  ///   - multipart: The form; a list of its parts will do.
  ///   - requestModifier: Changes the request before it is sent, for each attempt; it sees the
  ///     `Content-Type`, whose boundary has to stay.
  public func put(
    endpoint: String, query: [URLQueryItem] = [], multipart: MultipartForm,
    requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<RESTResponse, any Error> {
    RequestSender(for: self).response(
      .put, endpoint: endpoint, query: query, body: .multipart(multipart),
      requestModifier: requestModifier)
  }

  /// Changes a part of a resource by a form; all else is as at
  /// ``post(endpoint:query:multipart:requestModifier:)``.
  ///
  /// - Parameters:
  ///   - endpoint: The path below the base URL. A leading `/` is the same as none.
  ///   - query: Names and values, not encoded.
  ///   - multipart: The form; a list of its parts will do.
  ///   - requestModifier: Changes the request before it is sent, for each attempt; it sees the
  ///     `Content-Type`, whose boundary has to stay.
  public func patch(
    endpoint: String, query: [URLQueryItem] = [], multipart: MultipartForm,
    requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<RESTResponse, any Error> {
    RequestSender(for: self).response(
      .patch, endpoint: endpoint, query: query, body: .multipart(multipart),
      requestModifier: requestModifier)
  }
}
