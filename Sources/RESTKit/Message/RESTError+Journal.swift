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
  /// Records a failure in the call that this response ends, if there is a journal.
  ///
  /// - Returns: The error with the call's attempts and log.
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
  /// Records this error in a call, and returns it with the call's attempts and log.
  func recorded(in journal: CallJournal) -> any Error {
    journal.record(self)
    return telling(of: journal)
  }

  /// Returns this error with the call's attempts and log so far.
  ///
  /// An error of another type stays the same.
  func telling(of journal: CallJournal) -> any Error {
    (self as? RESTError)?.telling(of: journal) ?? self
  }
}
