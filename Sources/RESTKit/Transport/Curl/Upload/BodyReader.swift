#if os(Linux)
  /// Where libcurl gets the body of one call from.
  protocol BodyReader: AnyObject {
    /// The bytes in all; nil where that shows at the end.
    var length: Int64? { get }

    /// Copies the next bytes into a buffer.
    ///
    /// - Throws: The fault that the call fails with.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(TransportError) -> BodyRead

    /// Goes to a place to read on from there; false if there is no way.
    func rewind(to offset: Int64) -> Bool

    /// Lets go of what the body comes from.
    func close()
  }

  /// What a reader found.
  enum BodyRead: Equatable {
    case bytes(Int)
    case end
    /// Nothing now; the reader says when there is.
    case nothingYet
  }
#endif
