import RESTKit

/// What to tell a person about a call that failed.
public func message(about error: any Error) -> String {
  switch error {
  case TokenSessionError.signedOut, TokenSessionError.refreshRefused: "Please sign in again."
  case let error as RESTError: message(about: error.kind)
  // The token could not be renewed: as a rule for the reason for which a call fails.
  case TokenSessionError.refreshFailed(let cause as RESTError): message(about: cause.kind)
  default: "That did not work. Please try again later."
  }
}

private func message(about kind: RESTError.Kind) -> String {
  switch kind {
  case .transport: "The server cannot be reached. Are you online?"
  case .status(401): "Please sign in again."
  case .status(404): "There is no such thing any more."
  default: "That did not work. Please try again later."
  }
}
