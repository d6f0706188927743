import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension URLSessionTasks: URLSessionDataDelegate {
  func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
    noteInvalid()
  }

  #if canImport(FoundationNetworking)
    /// The answer is the redirect itself.
    ///
    /// On Linux the handler is never called: after a cancel or a deadline that would end the
    /// process.
    func urlSession(
      _ session: URLSession, task: URLSessionTask,
      willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
      completionHandler: @escaping (URLRequest?) -> Void
    ) {
      guard var record = take(task.taskIdentifier) else { return }
      record.head = response
      record.body = Data()
      end(record, .success(Self.response(of: record, response)), cancelling: true)
    }

    /// Every challenge is declined, from another queue; the 401 that came with it is the answer.
    ///
    /// Left to Foundation, a Basic challenge never ends.
    func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
      completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      let failure = challenge.failureResponse as? HTTPURLResponse
      _ = update(task.taskIdentifier) { record in
        record.isChallenged = true
        record.head = record.head ?? failure
      }
      // The handler may be called on any thread; its type just does not say so.
      nonisolated(unsafe) let completionHandler = completionHandler
      later { completionHandler(.cancelAuthenticationChallenge, nil) }
    }

    /// Called when libcurl would send the request again over a new connection.
    func urlSession(
      _ session: URLSession, task: URLSessionTask,
      needNewBodyStream completionHandler: @escaping (InputStream?) -> Void
    ) {
      let message = update(task.taskIdentifier) { record in
        record.refusedRepeat = !record.message.isRepeatable
        return record.message
      }
      completionHandler(message?.streamForRepeat ?? RefusingInputStream())
    }
  #else
    /// The answer is the redirect itself.
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
    let fault: TransportFault?? = update(dataTask.taskIdentifier) { record in
      guard let head = response as? HTTPURLResponse else { return nil }
      record.head = head
      record.firstByte = .now - record.begin
      record.bodyLimit = limits.bodyLimit(status: head.statusCode)
      return record.faultOfHead(head, limits)
    }
    if case .some(.some(let fault)) = fault { refuse(dataTask, fault) }
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    let fault: TransportFault?? = update(dataTask.taskIdentifier) { record in
      guard record.body.count + data.count <= record.bodyLimit.bytes else {
        return record.faultOfBody
      }
      record.body.append(data)
      return nil
    }
    if case .some(.some(let fault)) = fault { refuse(dataTask, fault) }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    guard let record = take(task.taskIdentifier) else { return }
    end(record, Self.result(of: record, late: task.response, error), cancelling: false)
  }

  private func refuse(_ task: URLSessionDataTask, _ fault: TransportFault) {
    guard let record = take(task.taskIdentifier) else { return }
    end(record, .failure(fault), cancelling: true)
  }

  private static func result(
    of record: URLSessionRecord, late: URLResponse?, _ error: (any Error)?
  ) -> Result<EngineResponse, TransportFault> {
    if record.refusedRepeat {
      return .failure(
        TransportFault(
          kind: .connectionClosedBeforeResponse,
          detail: "the kept-alive connection ended, and the request must not run twice",
          mayHaveBeenProcessed: true))
    }
    if let head = record.head, error == nil || record.isChallenged {
      let response = response(of: record, head)
      return ResponseFraming.fault(of: response.headers).map { .failure($0) } ?? .success(response)
    }
    // A 3xx that Foundation takes for a redirect, and then cannot follow, is not told before the end.
    if let head = late as? HTTPURLResponse, error == nil {
      return .success(response(of: record, head))
    }
    return .failure(URLSessionFault(error).fault)
  }

  private static func response(of record: URLSessionRecord, _ head: HTTPURLResponse)
    -> EngineResponse
  {
    var timings = EngineTimings()
    timings.firstByte = record.firstByte
    timings.total = .now - record.begin
    return EngineResponse(
      status: head.statusCode, httpVersion: "", headers: headers(of: head), trailers: [:],
      body: record.body, timings: timings)
  }

  /// In the order of their names, since Foundation does not keep that of the lines.
  static func headers(of head: HTTPURLResponse) -> HTTPHeaders {
    let fields = head.allHeaderFields.compactMap { name, value -> HTTPHeaders.Element? in
      guard let name = name as? String else { return nil }
      return (name, value as? String ?? String(describing: value))
    }
    return HTTPHeaders(fields.sorted { $0.name < $1.name })
  }
}
