import Dispatch
import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The running tasks of one engine; in its other file, the delegate of their session.
///
/// A task's record is taken out of the table by whatever ends its call first: completion, cancel,
/// deadline, limit or redirect. What Foundation says about the task afterwards finds no record and
/// is dropped, and the task itself is cancelled on another queue.
///
/// `@unchecked` because NSObject is not Sendable; all that changes is behind the lock, which is
/// never held while Foundation or a completion is called.
final class URLSessionTasks: NSObject, @unchecked Sendable {
  private struct Table {
    var records: [Int: URLSessionRecord] = [:]
    var identifiers: [ObjectIdentifier: Int] = [:]
    // Tasks that are in the table but not yet resumed; to invalidate their session would cancel
    // them while they are.
    var starting = 0
    var isStopping = false
    var invalidate: (@Sendable () -> Void)?
    var isInvalid = false
    var whenStopped: [@Sendable () -> Void] = []

    /// The invalidation, once it is wanted and may be done.
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
  // Cancelling waits for Foundation's work queue: never on that one, nor on the caller's thread.
  private let side = DispatchQueue(label: "RESTKit.URLSessionEngine", attributes: .concurrent)
  // Deadlines wait for nobody, so that they do not come behind cancels that do.
  private let clock = DispatchQueue(label: "RESTKit.URLSessionEngine.deadlines")
  // Where subscribers run: on none of the queues that other calls need.
  private let threads = URLSessionDeliveryThreads()

  init(limits: TransportLimits) {
    self.limits = limits
  }

  /// Does something on another thread.
  func later(_ work: @escaping @Sendable () -> Void) { side.async(execute: work) }

  /// What delivers one call.
  ///
  /// - Parameter onEvent: Takes the response in pieces; nil to have it collected.
  func delivery(to onEvent: EngineEventHandler?) -> URLSessionDelivery {
    URLSessionDelivery(to: onEvent, limit: limits.bodyBytes, on: threads) { [weak self] call in
      self?.cancel(call)
    }
  }

  /// Enters a task and starts it and its deadline.
  func run(
    _ task: URLSessionDataTask, for call: EngineCall, _ message: URLSessionMessage,
    _ delivery: URLSessionDelivery
  ) {
    let identifier = task.taskIdentifier
    let starter = URLSessionStarter(task)
    let deadline = message.timeout.map { timeout in
      URLSessionDeadline(timeout, on: clock) { [weak self] in self?.expire(identifier) }
    }
    let record = URLSessionRecord(
      call: call, task: starter, message: message, delivery: delivery, deadline: deadline)
    let isEntered = table.withLock { table in
      guard !table.isStopping else { return false }
      table.starting += 1
      table.records[identifier] = record
      table.identifiers[ObjectIdentifier(call)] = identifier
      return true
    }
    guard isEntered else {
      // A session is not gone before all of its tasks are, those that never ran too.
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
    // Cancelled before it was in the table?
    if !call.isPending { cancel(call) }
  }

  /// Ends the task of a call that has ended otherwise: it was cancelled, or too much of it was kept.
  func cancel(_ call: EngineCall) {
    let record = table.withLock { table in
      table.identifiers[ObjectIdentifier(call)].flatMap { table.take($0) }
    }
    if let task = record?.task { side.async { task.cancel() } }
  }

  /// Fails every task and has the session invalidated, at the first call.
  ///
  /// The callback comes when the session says that it is gone.
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

  /// Says that the session is gone.
  func noteInvalid() {
    let callbacks = table.withLock { table in
      table.isInvalid = true
      defer { table.whenStopped = [] }
      return table.whenStopped
    }
    for callback in callbacks { callback() }
  }

  /// Changes a task's record, if it still has one; the change must not call anything.
  func update<Value: Sendable>(_ identifier: Int, _ change: (inout URLSessionRecord) -> Value)
    -> Value?
  {
    table.withLock { table in
      // Taken out meanwhile, so that its body is not copied at each change.
      guard var record = table.records.removeValue(forKey: identifier) else { return nil }
      defer { table.records[identifier] = record }
      return change(&record)
    }
  }

  /// Takes a task's record out, which gives the right to end its call.
  func take(_ identifier: Int) -> URLSessionRecord? {
    table.withLock { $0.take(identifier) }
  }

  /// Ends a call behind what its subscriber has still to take, and its task if that may still run.
  ///
  /// Neither waits for the other: on Linux a cancel has to wait while a peer sends without a pause.
  func end(
    _ record: URLSessionRecord, _ result: Result<EngineResponse, TransportError>, cancelling: Bool
  ) {
    if cancelling { side.async { [task = record.task] in task.cancel() } }
    if case .success(let response) = result {
      for piece in record.latePieces(of: response) {
        record.delivery.tell(piece, of: record.call)
      }
    }
    record.delivery.end(result, of: record.call)
  }

  private func expire(_ identifier: Int) {
    guard let record = take(identifier) else { return }
    let fault = TransportError.afterSending(
      .timedOut, "the call's deadline passed", status: record.head?.statusCode)
    end(record, .failure(fault), cancelling: true)
  }
}
