extension RESTError: TellableFailure {
  var failureClass: String {
    switch kind {
    case .status(let status): "\(status)"
    case .transport(let kind): String("\(kind)".prefix { $0 != "(" })
    default: "\(kind)"
    }
  }
}

extension RESTResponse {
  /// Records in the call that this ends, if anybody counts and records, that nothing came of it.
  ///
  /// - Returns: The error, with what the call tells of itself.
  func recording(_ error: RESTError) -> RESTError {
    guard let journal else { return error }
    journal.record(error)
    return error.telling(of: journal)
  }
}

extension RESTError {
  fileprivate func telling(of journal: CallJournal) -> RESTError {
    var error = self
    error.attempts = journal.attempts
    error.log = journal.log
    return error
  }
}

extension Error {
  /// This error, recorded in a call, and with what that tells of itself.
  func recorded(in journal: CallJournal) -> any Error {
    journal.record(self)
    return telling(of: journal)
  }

  /// This error with what a call tells of itself by now; one that is not RESTKit's stays as it is.
  func telling(of journal: CallJournal) -> any Error {
    (self as? RESTError)?.telling(of: journal) ?? self
  }
}
