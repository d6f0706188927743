import RESTKit

/// The reason why a request failed, for display to the user.
public enum RequestError: Error, Equatable {
  case decode
  case invalidURL
  case noResponse
  case unauthorized
  case unexpectedStatusCode

  /// The message for the user.
  public var customMessage: String {
    switch self {
    case .decode: "The response could not be read."
    case .invalidURL: "The address is not valid."
    case .noResponse: "The server could not be reached."
    case .unauthorized: "Your session has expired."
    case .unexpectedStatusCode: "The server could not do this."
    }
  }

  init(_ error: any Error) {
    switch (error as? RESTError)?.kind {
    case .status(401): self = .unauthorized
    case .status: self = .unexpectedStatusCode
    case .decoding, .malformedResponse: self = .decode
    case .invalidBaseURL, .invalidEndpoint, .invalidRequest: self = .invalidURL
    default: self = .noResponse
    }
  }
}
