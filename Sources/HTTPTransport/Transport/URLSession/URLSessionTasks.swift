import Dispatch
import Foundation
import HTTPWire
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The running tasks of one engine.
///
/// The first event that ends a call removes its task's record from the table: completion, cancel,
/// deadline, limit or redirect. Later delegate calls for the task find no record and are ignored,
/// and the task itself is cancelled on another queue.
///
/// It is `@unchecked` because NSObject is not Sendable. All mutable state is protected by the lock,
/// which is never held while Foundation or a completion is called.
final class URLSessionTasks: NSObject, @unchecked Sendable {
  private struct Table {
    var records: [Int: URLSessionRecord] = [:]
    var identifiers: [ObjectIdentifier: Int] = [:]
    // The number of tasks in the table that are not resumed yet; invalidating their session would
    // cancel them during the resume.
    var starting = 0
    var isStopping = false
    var invalidate: (@Sendable () -> Void)?
    var isInvalid = false
    var whenStopped: [@Sendable () -> Void] = []

    /// Returns the invalidation once it is requested and allowed.
    mutating func takeInvalidation() -> (@Sendable () -> Void)? {
      guard starting == 0 else { return nil }
      defer { invalidate = nil }
      return invalidate
    }

    mutating func take(_ identifier: Int) -> URLSessionRecord? {
      guard let record = records.removeValue(forKey: identifier) else { return nil }
      identifiers[ObjectIdentifier(record.call)] = nil
      return record
    }
  }

  let limits: TransportLimits
  private let table = Lock(Table())
  // Cancelling waits for Foundation's work queue, so it runs neither there nor on the caller's
  // thread.
  private let side = DispatchQueue(label: "RESTKit.URLSessionEngine", attributes: .concurrent)
  // Deadlines have a queue of their own, so that they do not wait behind cancels.
  private let clock = DispatchQueue(label: "RESTKit.URLSessionEngine.deadlines")
  // The threads for subscribers, separate from all queues that other calls need.
  private let threads = DeliveryThreads()

  init(limits: TransportLimits) {
    self.limits = limits
  }

  /// Runs work on another thread.
  private func later(_ work: @escaping @Sendable () -> Void) { side.async(execute: work) }

  /// Adds a task, and starts the task and its deadline.
  ///
  /// - Parameter events: The buffer for the response in pieces, or nil to collect the response.
  func run(
    _ task: URLSessionDataTask, for call: EngineCall, _ message: URLSessionMessage,
    _ events: EventBuffer?
  ) {
    // On Linux a suspended task may hang or end the process.
    events?.begin(.fails(limit: limits.bodyBytes))
    let identifier = task.taskIdentifier
    let starter = URLSessionStarter(task)
    let deadline = message.timeout.map { timeout in
      URLSessionDeadline(timeout, on: clock) { [weak self] in self?.expire(identifier) }
    }
    let record = URLSessionRecord(
      call: call, task: starter, message: message, events: events, deadline: deadline)
    let isEntered = table.withLock { table in
      guard !table.isStopping else { return false }
      table.starting += 1
      table.records[identifier] = record
      table.identifiers[ObjectIdentifier(call)] = identifier
      return true
    }
    guard isEntered else {
      // A session ends only after all of its tasks have, including those that never ran.
      later { task.cancel() }
      end(record, .failure(.engineClosed), cancelling: false)
      return
    }
    deadline?.start()
    starter.start()
    let invalidation = table.withLock { table in
      table.starting -= 1
      return table.takeInvalidation()
    }
    if let invalidation { side.async(execute: invalidation) }
    // The call may have been cancelled before the record was in the table.
    if !call.isPending { cancel(call) }
  }

  /// Ends the task of a cancelled call.
  func cancel(_ call: EngineCall) {
    let record = table.withLock { table in
      table.identifiers[ObjectIdentifier(call)].flatMap { table.take($0) }
    }
    if let task = record?.task { side.async { task.cancel() } }
  }

  /// Fails every task, and invalidates the session at the first call.
  ///
  /// The callback runs when the session reports its invalidation.
  func stop(
    invalidate: @escaping @Sendable () -> Void, whenStopped: @escaping @Sendable () -> Void
  ) {
    let (isInvalid, records, invalidation) = table.withLock { table in
      if !table.isStopping { table.invalidate = invalidate }
      table.isStopping = true
      if !table.isInvalid { table.whenStopped.append(whenStopped) }
      let records = Array(table.records.values)
      table.records = [:]
      table.identifiers = [:]
      return (table.isInvalid, records, table.takeInvalidation())
    }
    if isInvalid { side.async(execute: whenStopped) }
    for record in records {
      let fault = TransportError.afterSending(
        .engineUnavailable, TransportError.engineClosed.detail)
      end(record, .failure(fault), cancelling: true)
    }
    if let invalidation { side.async(execute: invalidation) }
  }

  /// Notes that the session is invalid.
  func noteInvalid() {
    let callbacks = table.withLock { table in
      table.isInvalid = true
      defer { table.whenStopped = [] }
      return table.whenStopped
    }
    for callback in callbacks { callback() }
  }

  /// Changes a task's record, if there still is one.
  ///
  /// The change must not call other code.
  private func update<Value: Sendable>(
    _ identifier: Int, _ change: (inout URLSessionRecord) -> Value
  )
    -> Value?
  {
    table.withLock { table in
      // The record is removed during the change, so that its body is not copied.
      guard var record = table.records.removeValue(forKey: identifier) else { return nil }
      defer { table.records[identifier] = record }
      return change(&record)
    }
  }

  /// Removes a task's record, which gives the right to end its call.
  private func take(_ identifier: Int) -> URLSessionRecord? {
    table.withLock { $0.take(identifier) }
  }

  /// Ends a call after its waiting events, and cancels its task if the task may still run.
  ///
  /// Neither waits for the other: on Linux a cancel must wait while a peer sends without pause.
  private func end(
    _ record: URLSessionRecord, _ result: Result<EngineResponse, TransportError>, cancelling: Bool
  ) {
    if cancelling { side.async { [task = record.task] in task.cancel() } }
    var result = result
    if case .success(let response) = result {
      for piece in record.latePieces(of: response) {
        if tell(piece, record.events) == .stop { result = .failure(record.faultOfWaiting(limits)) }
      }
    }
    end(record.call, result.beside(record.known), behind: record.events)
  }

  /// Ends a call after its waiting events, on a thread that its subscriber may block.
  func end(
    _ call: EngineCall, _ result: Result<EngineResponse, TransportError>,
    behind events: EventBuffer?
  ) {
    guard let events else { return threads.run { call.complete(result) } }
    if events.finish(result, of: call) { threads.run { events.deliver() } }
  }

  /// Adds an event.
  ///
  /// Foundation calls a session's delegate on one queue. A subscriber on that queue would delay
  /// every other call of the session, so another thread delivers.
  private func tell(_ event: EngineEvent, _ events: EventBuffer?) -> EngineFlow {
    guard let events else { return .more }
    let reply = events.append(event)
    if reply.mustDeliver { threads.run { events.deliver() } }
    return reply.flow
  }

  private func expire(_ identifier: Int) {
    guard let record = take(identifier) else { return }
    let fault = TransportError.afterSending(
      .timedOut, record.message.expiry, status: record.head?.statusCode)
    end(record, .failure(fault), cancelling: true)
  }
}

extension URLSessionTasks: URLSessionDataDelegate {
  func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
    noteInvalid()
  }

  #if canImport(FoundationNetworking)
    /// Ends the call with the redirect itself as the response.
    ///
    /// On Linux the handler is never called: after a cancel or a deadline, that would end the
    /// process.
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
    /// Runs when URLSession would send a body from a file again, such as over a new connection
    /// after a kept one turned out to be dead.
    ///
    /// Without a stream the task fails with `NSURLErrorRequestBodyStreamExhausted`. The method for
    /// the rest of a body, `urlSession(_:task:needNewBodyStreamFrom:completionHandler:)`, is for
    /// resumable upload tasks only, and no task here is one. Only one of this method and its
    /// `async` form, `urlSession(_:needNewBodyStreamForTask:)`, may be there.
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

  /// Returns a stream of a task's body from its start; nil if the request must not run twice, which
  /// its record notes, or has ended.
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
    case .tell(let event, let events):
      guard tell(event, events) == .stop, let record = take(task.taskIdentifier) else { return }
      end(record, .failure(record.faultOfWaiting(limits)), cancelling: true)
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
    let engineHead = EngineHead(head)
    let response = record.response(with: engineHead)
    guard let fault = record.faultOfContent(engineHead) else { return .success(response) }
    let isKnown = record.events == nil && fault.kind.isOfBody
    return .failure(fault).beside(isKnown ? response : nil)
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
