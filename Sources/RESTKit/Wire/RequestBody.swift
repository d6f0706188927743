import Foundation
import Streams
import Synchronization

/// What a request carries, and what it says that is.
///
/// ```swift
/// api.post(endpoint: "orders", body: .json(order))
/// api.post(endpoint: "login", body: .form(["user": "rex"]))
/// api.put(endpoint: "photo", body: .data(jpeg, contentType: "image/jpeg"))
/// api.upload(.put, endpoint: "backups/today", body: .file(archive))
/// ```
///
/// It is made anew for each attempt. The verbs send its ``contentType`` along, which a request modifier
/// and an endpoint's headers may replace. Bytes, JSON and forms without files are the request's
/// `httpBody` when a modifier runs; files and chunks are read while they are sent, so that they never
/// have to be in memory as a whole.
public struct RequestBody: Sendable {
  /// Where the bytes come from.
  enum Source: Sendable {
    case data(Data)
    case file(URL)
    case spool(SpooledBody)
    /// The length is that which was promised, if one was.
    case chunks(AnyPublisher<Data, any Error>, length: Int64?)
  }

  /// Makes a body for one attempt, whose request is named in errors.
  typealias Maker = @Sendable (RequestSummary?) throws -> RequestBody

  private enum Content: Sendable {
    case ready(Source)
    case made(Maker)
  }

  /// What the bytes are (RFC 9110 §8.3); nil says nothing of it.
  public let contentType: String?
  private let content: Content
  /// Set where the body can be sent only once, and then that it was.
  private let use: BodyUse?

  private init(_ content: Content, contentType: String? = nil, use: BodyUse? = nil) {
    self.content = content
    self.contentType = contentType
    self.use = use
  }

  /// A body of bytes that are to be had.
  init(_ source: Source) {
    self.init(.ready(source))
  }

  /// A body that is made anew for each attempt.
  init(contentType: String, _ make: @escaping Maker) {
    self.init(.made(make), contentType: contentType)
  }

  /// Bytes that are in memory.
  ///
  /// - Parameters:
  ///   - data: The bytes.
  ///   - contentType: What they are; nil says nothing of it.
  public static func data(_ data: Data, contentType: String? = nil) -> RequestBody {
    RequestBody(.ready(.data(data)), contentType: contentType)
  }

  /// A file, read anew for each attempt, with its length at that moment.
  ///
  /// What cannot be opened, a folder or a pipe fails the request before anything is sent; a file that
  /// becomes shorter while it is sent fails it then. The request's `timeoutInterval`, in seconds, is the
  /// time that the server may be silent for; so it is with chunks.
  ///
  /// - Parameters:
  ///   - url: Where the file is.
  ///   - contentType: What is in it; nil says nothing of it.
  public static func file(_ url: URL, contentType: String? = nil) -> RequestBody {
    RequestBody(.ready(.file(url)), contentType: contentType)
  }

  /// What a publisher gives, as it gives it.
  ///
  /// It is asked for a chunk when there is room for one, and cancelled when the request ends before it
  /// does. Its failure becomes the request's. A transport that cannot wait for chunks collects them in
  /// a temporary file first.
  ///
  /// - Parameters:
  ///   - publisher: The chunks, in order.
  ///   - length: The bytes in all, where they are known: a body that turns out to have another length
  ///     fails. Without it the body goes with `Transfer-Encoding: chunked`.
  ///   - contentType: What they are; nil says nothing of it.
  ///   - isReplayable: Whether each subscription gives the same chunks, so that a redirect or a retry
  ///     may send them again. Otherwise a second attempt fails before anything is sent.
  public static func chunks(
    _ publisher: some Publisher<Data, any Error>, length: Int64? = nil, contentType: String? = nil,
    isReplayable: Bool = false
  ) -> RequestBody {
    RequestBody(
      .ready(.chunks(publisher.eraseToAnyPublisher(), length: length)), contentType: contentType,
      use: isReplayable ? nil : BodyUse())
  }

  /// What was collected in a file, which goes with the last copy of this.
  static func spool(_ spool: SpooledBody) -> RequestBody {
    RequestBody(.spool(spool))
  }

  /// Where the bytes come from; nil where the body is still to be made.
  var source: Source? {
    if case .ready(let source) = content { source } else { nil }
  }

  /// The bytes, where they are in memory.
  package var data: Data? {
    if case .data(let data) = source { data } else { nil }
  }

  /// The file, where it is one.
  package var file: URL? {
    if case .file(let file) = source { file } else { nil }
  }

  /// Whether it is a publisher that gives the bytes, or may be once the body is made.
  var mayComeInChunks: Bool {
    switch source {
    case .chunks, nil: true
    case .data, .file, .spool: false
    }
  }

  /// The length as far as it is known before the body goes out: a file's is that of this moment.
  package var expectedLength: Int64? {
    guard case .file(let file) = source else { return length }
    let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
    return (attributes?[.size] as? NSNumber)?.int64Value
  }

  /// The length that is known without a look at a file.
  var length: Int64? {
    switch source {
    case .data(let data): Int64(data.count)
    case .spool(let spool): spool.length
    case .chunks(_, let length): length
    case .file, nil: nil
    }
  }

  /// The body of one attempt, its ``source`` known.
  ///
  /// - Parameter request: What an error names.
  /// - Throws: Why it cannot be made.
  func made(for request: RequestSummary?) throws -> RequestBody {
    guard case .made(let make) = content else { return self }
    return try make(request)
  }

  /// This body, telling of its publisher's failure before it passes that on.
  func onFailure(_ tell: @escaping @Sendable (any Error) -> Void) -> RequestBody {
    switch content {
    case .ready(.chunks(let chunks, let length)):
      let observed = chunks.handleEvents(receiveCompletion: { completion in
        if case .failure(let error) = completion { tell(error) }
      })
      return RequestBody(
        .ready(.chunks(observed.eraseToAnyPublisher(), length: length)), contentType: contentType,
        use: use)
    case .made(let make):
      return RequestBody(.made { try make($0).onFailure(tell) }, contentType: contentType)
    case .ready:
      return self
    }
  }

  /// A body of other bytes that is made of this one, and is sent as often as this one may be.
  ///
  /// - Parameter transform: Makes the bytes; asked for each subscription.
  func transformed(
    _ transform:
      @escaping @Sendable (AnyPublisher<Data, any Error>) -> AnyPublisher<Data, any Error>
  ) -> RequestBody {
    let source = RequestBody(content)
    let chunks = Deferred {
      transform(
        Result { () throws(TransportError) in try source.open() }.publisher
          .mapError { $0 as any Error }
          .flatMap(\.chunks)
          .eraseToAnyPublisher())
    }
    return RequestBody(
      .ready(.chunks(chunks.eraseToAnyPublisher(), length: nil)), contentType: contentType,
      use: use)
  }

  /// Whether the body can be sent more than once.
  var isReplayable: Bool { use == nil }

  /// Notes that the body goes out now.
  ///
  /// - Returns: Where its bytes come from.
  /// - Throws: `.invalidRequest` where it did before and cannot again, or cannot be made.
  func begin() throws(TransportError) -> Source {
    guard use?.begin() != false else {
      throw .beforeSending(
        .invalidRequest,
        "its body was sent before and cannot be sent again; pass isReplayable: true if the "
          + "publisher gives the same chunks each time")
    }
    switch content {
    case .ready(let source):
      return source
    case .made:
      return try made().begin()
    }
  }

  /// This body, made if it is not.
  ///
  /// - Throws: `.invalidRequest` where it cannot be.
  func made() throws(TransportError) -> RequestBody {
    do {
      return try made(for: nil)
    } catch {
      throw .beforeSending(.invalidRequest, "its body cannot be made: \(error)")
    }
  }
}

/// Whether a body that can be sent once was.
private final class BodyUse: Sendable {
  private let hasBegun = Atomic(false)

  /// True for the first call.
  func begin() -> Bool { !hasBegun.exchange(true, ordering: .relaxed) }
}

extension RequestBody: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Where the bytes come from and how many they are; nothing of them.
  public var description: String {
    let origin =
      switch source {
      case .data: "bytes"
      case .file: "a file"
      case .spool: "a temporary file"
      case .chunks: "a publisher"
      case nil: contentType.map { "what is made as \($0.prefix { $0 != ";" })" } ?? "a maker"
      }
    return "body from \(origin)" + (length.map { ", \($0) bytes" } ?? "")
  }

  public var debugDescription: String { description }

  // `dump` would print the bytes.
  public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
