import Foundation
import Streams
import Synchronization

/// A body that is read while it is sent, so that it never has to be in memory as a whole.
///
/// ```swift
/// api.upload(.put, endpoint: "backups/today", body: .file(archive))
/// api.upload(.post, endpoint: "log", body: .chunks(lines.map { Data($0.utf8) }))
/// ```
public struct RequestBody: Sendable {
  enum Source: Sendable {
    case data(Data)
    case file(URL)
    case spool(SpooledBody)
    case chunks(AnyPublisher<Data, any Error>)
  }

  let source: Source
  /// The length that was promised; nil where it is to be found out, or goes in chunks.
  let length: Int64?
  /// The length as far as it is known before the body goes out: a file's is that of this moment.
  var expectedLength: Int64? {
    guard case .file(let file) = source else { return length }
    let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
    return (attributes?[.size] as? NSNumber)?.int64Value
  }
  /// Set where the body can be sent only once, and then that it was.
  private let use: BodyUse?

  private init(_ source: Source, length: Int64? = nil, use: BodyUse? = nil) {
    self.source = source
    self.length = length
    self.use = use
  }

  /// Bytes that are in memory.
  public static func data(_ data: Data) -> RequestBody {
    RequestBody(.data(data), length: Int64(data.count))
  }

  /// A file, read anew for each attempt, with its length at that moment.
  ///
  /// What cannot be opened, a folder or a pipe fails the request before anything is sent; a file that
  /// becomes shorter while it is sent fails it then.
  public static func file(_ url: URL) -> RequestBody {
    RequestBody(.file(url))
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
  ///   - isReplayable: Whether each subscription gives the same chunks, so that a redirect or a retry
  ///     may send them again. Otherwise a second attempt fails before anything is sent.
  public static func chunks(
    _ publisher: some Publisher<Data, any Error>, length: Int64? = nil, isReplayable: Bool = false
  ) -> RequestBody {
    RequestBody(
      .chunks(publisher.eraseToAnyPublisher()), length: length,
      use: isReplayable ? nil : BodyUse())
  }

  /// What was collected in a file, which goes with the last copy of this.
  static func spool(_ spool: SpooledBody) -> RequestBody {
    RequestBody(.spool(spool), length: spool.length)
  }

  /// This body, telling of its publisher's failure before it passes that on.
  func onFailure(_ tell: @escaping @Sendable (any Error) -> Void) -> RequestBody {
    guard case .chunks(let chunks) = source else { return self }
    let observed = chunks.handleEvents(receiveCompletion: { completion in
      if case .failure(let error) = completion { tell(error) }
    })
    return RequestBody(.chunks(observed.eraseToAnyPublisher()), length: length, use: use)
  }

  /// Whether the body can be sent more than once.
  var isReplayable: Bool { use == nil }

  /// Notes that the body goes out now.
  ///
  /// - Throws: `.invalidRequest` where it did before and cannot again.
  func begin() throws(TransportFault) {
    guard use?.begin() != false else {
      throw TransportFault(
        kind: .invalidRequest,
        detail: "its body was sent before and cannot be sent again; pass isReplayable: true if the "
          + "publisher gives the same chunks each time",
        mayHaveBeenProcessed: false)
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
      }
    return "body from \(origin)" + (length.map { ", \($0) bytes" } ?? "")
  }

  public var debugDescription: String { description }

  // `dump` would print the bytes.
  public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
