import Streams

extension Publisher where Failure == any Error {
  /// Gives the pipeline the failure type ``RESTError``, so that a later stage needs no cast.
  ///
  /// ```swift
  /// api.get(endpoint: "orders/7").decode(type: Order.self).mapRESTError()
  ///   .catch { error in error.isNotFound ? Just(.none) : … }
  /// ```
  ///
  /// An error that RESTKit raised stays as it is. Any other error, such as one that a modifier or a
  /// `tryMap` threw, becomes one of kind ``RESTError/Kind/other`` and is its
  /// ``RESTError/underlyingError``. Values and demand pass unchanged, on the upstream's thread.
  public func mapRESTError() -> Publishers.MapError<Self, RESTError> {
    mapError { ($0 as? RESTError) ?? RESTError(other: $0) }
  }
}

extension RESTError {
  // The error's own text may contain a secret, so the reason has only its type.
  fileprivate init(other error: any Error) {
    self.init(
      .other, reason: "the pipeline failed with an error of type \(type(of: error))",
      remedy: "The error's `underlyingError` is that error.", underlyingError: error)
  }
}
