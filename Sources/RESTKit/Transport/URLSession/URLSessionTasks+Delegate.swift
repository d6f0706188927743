import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension URLSessionTasks: URLSessionDataDelegate {
  func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
    noteInvalid()
  }

  #if canImport(FoundationNetworking)
    /// Ends the call with the redirect itself as the response.
    ///
    /// On Linux the handler is never called: after a cancel or a deadline, that would end the process.
    func urlSession(
      _ session: URLSession, task: URLSessionTask,
      willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
      completionHandler: @escaping (URLRequest?) -> Void
    ) {
      guard var record = take(task.taskIdentifier) else { return }
      record.body = Data()
      end(record, Self.checked(record, response), cancelling: true)
    }

    /// Declines every challenge from another queue.
    ///
    /// The 401 of the challenge is the response.
    ///
    /// If Foundation handled a Basic challenge, the call would never end.
    func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
      completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      let failure = challenge.failureResponse as? HTTPURLResponse
      _ = update(task.taskIdentifier) { record in
        record.isChallenged = true
        record.head = record.head ?? failure
      }
      // The handler may be called on any thread, but its type does not say so.
      nonisolated(unsafe) let completionHandler = completionHandler
      later { completionHandler(.cancelAuthenticationChallenge, nil) }
    }

    /// Runs when libcurl would repeat the request over a new connection.
    func urlSession(
      _ session: URLSession, task: URLSessionTask,
      needNewBodyStream completionHandler: @escaping (InputStream?) -> Void
    ) {
      completionHandler(streamForRepeat(of: task) ?? RefusingInputStream())
    }
  #else
    /// Runs when URLSession would send a body from a file again, such as over a new connection after a
    /// kept one turned out to be dead.
    ///
    /// Without a stream the task fails with `NSURLErrorRequestBodyStreamExhausted`. The method for the
    /// rest of a body, `urlSession(_:task:needNewBodyStreamFrom:completionHandler:)`, is for resumable
    /// upload tasks only, and no task here is one. Only one of this method and its `async` form,
    /// `urlSession(_:needNewBodyStreamForTask:)`, may be there.
    func urlSession(
      _ session: URLSession, task: URLSessionTask,
      needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
      completionHandler(streamForRepeat(of: task))
    }

    /// Ends the call with the redirect itself as the response.
    func urlSession(
      _ session: URLSession, task: URLSessionTask,
      willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
      completionHandler: @escaping (URLRequest?) -> Void
    ) {
      completionHandler(nil)
    }
  #endif

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
  ) {
    let step: URLSessionRecord.Step? = update(dataTask.taskIdentifier) { record in
      guard let head = response as? HTTPURLResponse else { return .nothing }
      return record.take(head, limits)
    }
    follow(step, dataTask)
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    follow(update(dataTask.taskIdentifier) { $0.take(data) }, dataTask)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
    totalBytesSent: Int64, totalBytesExpectedToSend: Int64
  ) {
    follow(update(task.taskIdentifier) { $0.take(sent: totalBytesSent) }, task)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    guard let record = take(task.taskIdentifier) else { return }
    end(record, Self.result(of: record, late: task.response, error), cancelling: false)
  }

  /// Returns a stream of a task's body from its start; nil if the request must not run twice, which its
  /// record notes, or has ended.
  private func streamForRepeat(of task: URLSessionTask) -> InputStream? {
    let message = update(task.taskIdentifier) { record in
      record.refusedRepeat = !record.message.isRepeatable
      return record.message
    }
    return message?.streamForRepeat
  }

  /// Runs a record's step without the lock.
  private func follow(_ step: URLSessionRecord.Step?, _ task: URLSessionTask) {
    switch step {
    case .fault(let fault):
      guard let record = take(task.taskIdentifier) else { return }
      end(record, .failure(fault), cancelling: true)
    case .tell(let event, let delivery, let call):
      delivery.tell(event, of: call)
    case .nothing, nil:
      break
    }
  }

  private static func result(
    of record: URLSessionRecord, late: URLResponse?, _ error: (any Error)?
  ) -> Result<EngineResponse, TransportError> {
    if record.refusedRepeat { return .failure(.mustNotRunTwice) }
    if let head = record.head, error == nil || record.isChallenged {
      return checked(record, head)
    }
    // Foundation reports a redirect that it cannot follow only at the end.
    if let head = late as? HTTPURLResponse, error == nil {
      return checked(record, head)
    }
    let status = record.head?.statusCode ?? (late as? HTTPURLResponse)?.statusCode
    return .failure(URLSessionFault(error).fault(behind: status))
  }

  private static func checked(_ record: URLSessionRecord, _ head: HTTPURLResponse)
    -> Result<EngineResponse, TransportError>
  {
    let answer = EngineHead(head)
    if let fault = record.faultOfContent(answer) { return .failure(fault) }
    var timings = ExchangeMetrics()
    let total = .now - record.begin
    timings.receiving = record.firstByte.map { total - $0 }
    timings.total = total
    return .success(
      EngineResponse(head: answer, trailers: [:], body: record.body, timings: timings))
  }
}

extension EngineHead {
  /// Makes a head with lines sorted by name, since Foundation does not keep their order.
  init(_ head: HTTPURLResponse) {
    let fields = head.allHeaderFields.compactMap { name, value -> HTTPHeaders.Element? in
      guard let name = name as? String else { return nil }
      let text = String(describing: value)
      return (name, text.trimmingCharacters(in: CharacterSet(charactersIn: " \t")))
    }
    self.init(
      status: head.statusCode, httpVersion: "",
      headers: HTTPHeaders(fields.sorted { $0.name < $1.name }))
  }
}
