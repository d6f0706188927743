import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A record of a stream's delivered values, which lets the next request resume the stream.
final class StreamDelivery<Output: Sendable>: Sendable {
  /// The delivered part of a stream.
  struct Mark: Sendable {
    var last: Output
    /// The total length of the delivered values.
    var length: Int64
    /// The head of the response that brought the last value.
    var head: ResponseHead?

    /// - Throws: `RESTError` if the last value came without a response.
    func requireHead() throws(RESTError) -> ResponseHead {
      guard let head else {
        throw RESTError(
          .invalidRequest,
          reason: "the stream cannot resume: no response of a RESTAPI brought its last value",
          remedy: "Resume with a closure without a head.")
      }
      return head
    }
  }

  typealias Resume = @Sendable (URLRequest, Mark) throws -> URLRequest

  private struct State: Sendable {
    var mark: Mark?
    /// The head of the last response.
    var head: ResponseHead?
    /// Whether the next bytes are the first ones of another version.
    var beginsAgain = false
  }

  private let resume: Resume?
  private let replaced: ReplacedContent
  private let version: @Sendable () -> String?
  private let length: @Sendable (Output) -> Int64?
  private let isBeginning: @Sendable (Output) -> Bool
  private let state = Lock(State())

  /// - Parameters:
  ///   - resume: A closure that changes a request so that it resumes the stream; nil if no request
  ///     can.
  ///   - replaced: What another version of the content means.
  ///   - version: A closure that returns the strong entity tag of the stream's first bytes.
  ///   - length: A closure that returns the length of a value, or nil if the value is not part of
  ///     the stream.
  ///   - isBeginning: A closure that returns whether the values from this one on are another
  ///     version.
  init(
    resume: Resume?, replaced: ReplacedContent = .fail,
    version: @escaping @Sendable () -> String? = { nil },
    length: @escaping @Sendable (Output) -> Int64?,
    isBeginning: @escaping @Sendable (Output) -> Bool = { _ in false }
  ) {
    self.resume = resume
    self.replaced = replaced
    self.version = version
    self.length = length
    self.isBeginning = isBeginning
  }

  /// Whether there is a rule to resume the stream.
  var isResumable: Bool { resume != nil }

  /// Whether another request delivers no value twice.
  var canGoOn: Bool { isResumable || state.withLock { $0.mark == nil } }

  /// Gives a call what makes its next request resume the stream.
  func join(_ options: inout CallOptions) {
    options.prepare { try self.prepare(&$0) }
    options.handleHead { head in self.state.withLock { $0.head = head } }
  }

  /// Records a delivered value.
  ///
  /// - Returns: Whether the value is part of the stream.
  func note(_ output: Output) -> Bool {
    if isBeginning(output) { beginAgain() }
    guard let length = length(output) else { return false }
    // A user's value is released without the lock.
    let released = state.withLock { state in
      let before = state.mark
      state.mark = Mark(last: output, length: (before?.length ?? 0) + length, head: state.head)
      state.beginsAgain = false
      return before
    }
    withExtendedLifetime(released) {}
    return true
  }

  /// Forgets what was delivered, so that the next request asks for everything.
  func beginAgain() {
    let released = state.withLock { state in
      state.beginsAgain = true
      return state.mark.take()
    }
    withExtendedLifetime(released) {}
  }

  /// Whether a failure means that the stream begins again with another version.
  func isReplaced(by error: any Error) -> Bool {
    replaced == .beginAgain && (error as? RESTError)?.underlyingError is ContentReplacedError
  }

  /// Changes a request so that it resumes the stream.
  ///
  /// - Returns: The place that the closure asks for; nil if the request resumes in another way.
  func prepare(_ request: inout URLRequest) throws -> Resumption? {
    guard let resume else { return nil }
    let (mark, beginsAgain) = state.withLock { ($0.mark, $0.beginsAgain) }
    guard let mark else { return beginsAgain ? .beginning : nil }
    let own = request.value(forHTTPHeaderField: "Range")
    request = try resume(request, mark)
    guard let range = request.value(forHTTPHeaderField: "Range"), range != own else { return nil }
    let version = version()
    if let version { request.setIfAbsent(["If-Range": version]) }
    return .part(
      RangeQuery(
        range: range, version: version,
        condition: request.value(forHTTPHeaderField: "If-Range"), replaced: replaced))
  }
}

extension StreamDelivery<TransferEvent> {
  /// Makes the record of a response in pieces, whose place is the number of its bytes.
  convenience init(
    ofBytes resume: Resume?, version: ContentVersion = .entityTag, replaced: ReplacedContent = .fail
  ) {
    let origin = Lock(StreamOrigin(version))
    self.init(
      resume: resume, replaced: replaced, version: { origin.withLock { $0.version } },
      length: { event in origin.withLock { $0.length(of: event) } },
      isBeginning: { event in
        if case .head(let head) = event { head.beginsAgain } else { false }
      })
  }
}

/// The origin of the bytes of a stream that may be resumed.
private struct StreamOrigin {
  private let recognition: ContentVersion
  private var hasBegun = false
  /// The strong entity tag of the first bytes; nil if there is none.
  private(set) var version: String?

  init(_ version: ContentVersion) {
    recognition = version
  }

  /// Returns the number of bytes that count for the offset; nil if the event has none.
  ///
  /// Behind the bytes of an error that is delivered nothing is asked for.
  mutating func length(of event: TransferEvent) -> Int64? {
    switch event {
    case .head(let head):
      if head.beginsAgain { hasBegun = false }
      if !hasBegun { version = recognition == .entityTag ? head.strongTag : nil }
      return nil
    case .chunk(let chunk):
      hasBegun = true
      return Int64(chunk.count)
    case .sent: return nil
    }
  }
}
