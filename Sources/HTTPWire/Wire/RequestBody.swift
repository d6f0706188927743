import Foundation
import Streams
import Synchronization

/// The body of a request, with its content type.
///
/// ```swift
/// api.post(endpoint: "orders", body: .json(order))
/// api.post(endpoint: "login", body: .form(["user": "rex"]))
/// api.put(endpoint: "photo", body: .data(jpeg, contentType: "image/jpeg"))
/// api.upload(.put, endpoint: "backups/today", body: .file(archive))
/// ```
///
/// The body is made again for each attempt. The verbs send its ``contentType``, which a request
/// modifier and an endpoint's headers may replace. Bytes, JSON, and forms without files are in the
/// request's `httpBody` when a modifier runs. Files and chunks are read while they are sent, so
/// they need not fit into memory.
public struct RequestBody: Sendable {
  /// The source of a body's bytes.
  package enum Source: Sendable {
    case data(Data)
    case file(URL)
    case spool(SpooledBody)
    /// The length is the promised one, if there is one.
    case chunks(AnyPublisher<Data, any Error>, length: Int64?)
  }

  /// Makes a body for one attempt, with the encoder of the API if it has one.
  ///
  /// Errors name the request.
  package typealias Maker = @Sendable (RequestSummary?, JSONEncoder?) throws -> RequestBody

  private enum Content: Sendable {
    case ready(Source)
    case made(Maker)
  }

  /// The media type of the bytes (RFC 9110 §8.3), or nil to leave it unspecified.
  public let contentType: String?
  private let content: Content
  /// The use of a body that can be sent only once, or nil for other bodies.
  private let use: BodyUse?

  private init(_ content: Content, contentType: String? = nil, use: BodyUse? = nil) {
    self.content = content
    self.contentType = contentType
    self.use = use
  }

  /// Makes a body of available bytes.
  package init(_ source: Source) {
    self.init(.ready(source))
  }

  /// Makes a body that is made again for each attempt.
  package init(contentType: String, _ make: @escaping Maker) {
    self.init(.made(make), contentType: contentType)
  }

  /// Returns a body of bytes in memory.
  ///
  /// - Parameters:
  ///   - data: The bytes.
  ///   - contentType: Their media type, or nil to leave it unspecified.
  public static func data(_ data: Data, contentType: String? = nil) -> RequestBody {
    RequestBody(.ready(.data(data)), contentType: contentType)
  }

  /// Returns a body that reads a file, again for each attempt, with the file's length at that
  /// moment.
  ///
  /// A path that cannot be opened, a folder and a pipe fail the request before anything is sent. A
  /// file that becomes shorter while it is sent fails the request then. The request's
  /// `timeoutInterval`, in seconds, is the longest time without activity of the server.
  ///
  /// - Parameters:
  ///   - url: The location of the file.
  ///   - contentType: The media type of the file, or nil to leave it unspecified.
  public static func file(_ url: URL, contentType: String? = nil) -> RequestBody {
    RequestBody(.ready(.file(url)), contentType: contentType)
  }

  /// Returns a body of a publisher's chunks, which are sent as they arrive.
  ///
  /// The transport requests a chunk when it has room for one. It cancels the publisher if the
  /// request ends first. A failure of the publisher becomes the request's failure. A transport that
  /// cannot wait for chunks first collects them in a temporary file.
  ///
  /// The request's `timeoutInterval`, in seconds, is the longest time without a chunk and without
  /// activity of the server.
  ///
  /// - Parameters:
  ///   - publisher: The chunks, in order.
  ///   - length: The total number of bytes, if it is known. A body of another length fails. Without
  ///     a length, the body is sent with `Transfer-Encoding: chunked`.
  ///   - contentType: The media type of the chunks, or nil to leave it unspecified.
  ///   - isReplayable: Whether each subscription gives the same chunks, so that a redirect or a
  ///     retry may send them again. Otherwise a second attempt fails before anything is sent.
  public static func chunks(
    _ publisher: some Publisher<Data, any Error>, length: Int64? = nil, contentType: String? = nil,
    isReplayable: Bool = false
  ) -> RequestBody {
    RequestBody(
      .ready(.chunks(publisher.eraseToAnyPublisher(), length: length)), contentType: contentType,
      use: isReplayable ? nil : BodyUse())
  }

  /// Returns a body of collected bytes in a temporary file, which is removed with the last copy of
  /// the body.
  package static func spool(_ spool: SpooledBody) -> RequestBody {
    RequestBody(.spool(spool))
  }

  /// The source of the bytes, or nil if the body is not made yet.
  package var source: Source? {
    if case .ready(let source) = content { source } else { nil }
  }

  /// The bytes, if they are in memory.
  package var data: Data? {
    if case .data(let data) = source { data } else { nil }
  }

  /// The file, if the body is one.
  package var file: URL? {
    if case .file(let file) = source { file } else { nil }
  }

  /// Whether the bytes come from a publisher, or may do so once the body is made.
  package var mayComeInChunks: Bool {
    switch source {
    case .chunks, nil: true
    case .data, .file, .spool: false
    }
  }

  /// The length as far as it is known before the body is sent.
  ///
  /// A file's length is that of this moment.
  package var expectedLength: Int64? {
    guard case .file(let file) = source else { return length }
    // A link is followed when the body is read, but has attributes of its own.
    let path = file.resolvingSymlinksInPath().path
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return (attributes?[.size] as? NSNumber)?.int64Value
  }

  /// The length that is known without reading a file's attributes.
  var length: Int64? {
    switch source {
    case .data(let data): Int64(data.count)
    case .spool(let spool): spool.length
    case .chunks(_, let length): length
    case .file, nil: nil
    }
  }

  /// Returns the body of one attempt, with a known ``source``.
  ///
  /// - Parameters:
  ///   - request: The request that an error names.
  ///   - encoder: The encoder of a value that names none; nil for a plain one.
  /// - Throws: The reason why the body cannot be made.
  package func made(
    for request: RequestSummary?, encoder: JSONEncoder? = nil
  ) throws -> RequestBody {
    guard case .made(let make) = content else { return self }
    return try make(request, encoder)
  }

  /// Returns this body with a closure that receives its publisher's failure before the failure is
  /// passed on.
  package func onFailure(_ tell: @escaping @Sendable (any Error) -> Void) -> RequestBody {
    mappingChunks { chunks in
      chunks.handleEvents(receiveCompletion: { completion in
        if case .failure(let error) = completion { tell(error) }
      })
      .eraseToAnyPublisher()
    }
  }

  /// Returns this body with another publisher of the same chunks.
  func mappingChunks(
    _ transform:
      @escaping @Sendable (AnyPublisher<Data, any Error>) -> AnyPublisher<Data, any Error>
  ) -> RequestBody {
    switch content {
    case .ready(.chunks(let chunks, let length)):
      RequestBody(
        .ready(.chunks(transform(chunks), length: length)), contentType: contentType, use: use)
    case .made(let make):
      RequestBody(.made { try make($0, $1).mappingChunks(transform) }, contentType: contentType)
    case .ready:
      self
    }
  }

  /// Returns a body of other bytes that are made of this body.
  ///
  /// It can be sent as often as this one.
  ///
  /// - Parameter transform: Makes the bytes, again for each subscription.
  package func transformed(
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
  package var isReplayable: Bool { use == nil }

  /// Notes that the body is sent now.
  ///
  /// - Returns: The source of the bytes.
  /// - Throws: `.invalidRequest` if the body was sent before and cannot be sent again, or if it
  ///   cannot be made.
  package func begin() throws(TransportError) -> Source {
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

  /// Returns this body after making it, if necessary.
  ///
  /// - Throws: `.invalidRequest` if it cannot be made.
  package func made() throws(TransportError) -> RequestBody {
    do {
      return try made(for: nil)
    } catch {
      throw .beforeSending(.invalidRequest, "its body cannot be made: \(error)")
    }
  }
}

/// The use of a body that can be sent only once.
private final class BodyUse: Sendable {
  private let hasBegun = Atomic(false)

  /// Notes the use of the body, and returns true for the first call.
  func begin() -> Bool { !hasBegun.exchange(true, ordering: .relaxed) }
}

extension RequestBody: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The source and the number of the bytes, without the bytes themselves.
  public var description: String {
    let origin =
      switch source {
      case .data: "bytes"
      case .file: "a file"
      case .spool: "a temporary file"
      case .chunks: "a publisher"
      case nil: contentType.map { "a maker of \($0.prefix { $0 != ";" })" } ?? "a maker"
      }
    return "body from \(origin)" + (length.map { ", \($0) bytes" } ?? "")
  }

  public var debugDescription: String { description }

  // `dump` would print the bytes.
  public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension RequestBody {
  /// Returns a publisher of the whole body in memory.
  ///
  /// Each subscription opens the body again.
  package func collected() -> AnyPublisher<Data, any Error> {
    Deferred {
      Result { () throws(TransportError) in try open(chunkBytes: .max) }.publisher
        .mapError { $0 as any Error }
        .flatMap(\.chunks)
        .collect()
        // `reduce` with `+` would copy all previous bytes for each chunk.
        .map { chunks in chunks.reduce(into: Data()) { $0.append($1) } }
    }
    .eraseToAnyPublisher()
  }
}
