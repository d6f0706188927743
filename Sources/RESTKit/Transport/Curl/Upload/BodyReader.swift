#if os(Linux)
  /// The source of one call's body for libcurl.
  protocol BodyReader: AnyObject {
    /// The total number of bytes, or nil if it is known only at the end.
    var length: Int64? { get }

    /// Copies the next bytes into a buffer.
    ///
    /// - Throws: The fault with which the call fails.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(TransportError) -> BodyRead

    /// Continues from an offset. Returns false if that is impossible.
    func rewind(to offset: Int64) -> Bool

    /// Releases the source of the body.
    func close()
  }

  /// The result of a read.
  enum BodyRead: Equatable {
    case bytes(Int)
    case end
    /// No bytes at present. The reader reports when there are some.
    case nothingYet
  }
#endif
