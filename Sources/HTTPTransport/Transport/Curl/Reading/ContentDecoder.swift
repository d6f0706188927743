#if os(Linux)
  import HTTPWire
  internal import CCurl

  /// A decoder for the content codings of one response (RFC 9110 §8.4), which detects an incomplete
  /// body.
  final class ContentDecoder {
    /// The value of `Accept-Encoding`.
    static let acceptedCodings: String = czlib_load() != 0 ? "gzip, deflate" : "identity"

    /// Returns whether a coding, in lower case, is decoded here.
    static func isKnown(_ coding: String) -> Bool {
      ["gzip", "x-gzip", "deflate"].contains(coding)
    }

    /// The inflaters in the order of decoding: the coding that was applied last comes first.
    private let inflaters: [Inflater]
    private var budget: InflationBudget
    private var hasBegun = false

    /// - Parameter keepsUnknown: Whether a body with a coding that is not decoded here stays as it
    ///   is.
    /// - Returns: nil if the body is not encoded, or stays as it is.
    /// - Throws: `.undecodableBody` for a coding that was not requested, and for too many codings.
    init?(
      _ headers: HTTPHeaders, limits: TransportLimits, keepsUnknown: Bool = false
    ) throws(TransportError) {
      let codings = headers.contentCodings
      if keepsUnknown, !codings.allSatisfy(Self.isKnown) { return nil }
      guard codings.count <= HTTPHeaders.mostContentCodings else {
        throw .afterSending(
          .undecodableBody, "it has more than \(HTTPHeaders.mostContentCodings) content encodings")
      }
      var inflaters: [Inflater] = []
      for coding in codings.reversed() {
        switch coding {
        case "gzip", "x-gzip": inflaters.append(Inflater(.gzip))
        case "deflate": inflaters.append(Inflater(.deflate))
        default: throw .afterSending(.undecodableBody, "its content encoding was not requested")
        }
      }
      guard !inflaters.isEmpty else { return nil }
      self.inflaters = inflaters
      budget = InflationBudget(limits, stages: inflaters.count)
    }

    /// Takes the next bytes of the encoded body, and passes the decoded bytes to `sink`.
    ///
    /// - Parameters:
    ///   - isWanted: A check that runs repeatedly during the work. Its fault ends the work.
    ///   - sink: The receiver of decoded bytes. Its fault ends the work.
    /// - Throws: `.undecodableBody` if the bytes do not match the header, `.limitExceeded` if the
    ///   decoded bytes exceed a limit.
    func push(
      _ bytes: UnsafeRawBufferPointer,
      while isWanted: () throws(TransportError) -> Void = {},
      _ sink: (UnsafeRawBufferPointer) throws(TransportError) -> Void
    ) throws(TransportError) {
      if !bytes.isEmpty { hasBegun = true }
      budget.begin(encoded: bytes.count)
      try push(bytes, stage: 0, while: isWanted, sink)
    }

    /// The fault of a body that ends here, or nil if it is complete.
    ///
    /// A body without bytes is complete.
    var faultAtEnd: TransportError? {
      guard hasBegun, !inflaters.allSatisfy(\.isAtEnd) else { return nil }
      return .afterSending(.bodyCut, "its compressed data end early")
    }

    private func push(
      _ bytes: UnsafeRawBufferPointer, stage: Int,
      while isWanted: () throws(TransportError) -> Void,
      _ sink: (UnsafeRawBufferPointer) throws(TransportError) -> Void
    ) throws(TransportError) {
      guard stage < inflaters.count else { return try sink(bytes) }
      try inflaters[stage].push(bytes) { (taken, piece) throws(TransportError) in
        try budget.take(taken, making: piece.count, at: stage)
        try isWanted()
        if !piece.isEmpty { try push(piece, stage: stage + 1, while: isWanted, sink) }
      }
    }
  }

  /// A decoder for one content coding: gzip (RFC 1952) or deflate (RFC 1950, and also bare RFC
  /// 1951, which some servers send under that name).
  private final class Inflater {
    enum Coding: Sendable, Equatable {
      case gzip, deflate
    }

    /// A receiver of the number of consumed bytes and the decoded bytes, if there are any.
    ///
    /// It throws to end the work.
    typealias Sink = (Int, UnsafeRawBufferPointer) throws(TransportError) -> Void

    private static let roomSize = 64 * 1_024
    /// The bytes with which a member of a gzip file begins (RFC 1952 §2.3.1).
    private static let magic: [UInt8] = [0x1F, 0x8B]

    private let coding: Coding
    private let room = UnsafeMutableRawBufferPointer.allocate(byteCount: roomSize, alignment: 16)
    private var stream: OpaquePointer?
    /// Whether the compressed data are complete.
    private(set) var isAtEnd = false
    /// Whether the bytes that follow belong to nothing.
    private var isPastEnd = false
    /// Whether the first byte behind a member may begin another, as the next one tells.
    private var awaitsMagic = false

    init(_ coding: Coding) {
      self.coding = coding
    }

    deinit {
      czlib_close(stream)
      room.deallocate()
    }

    /// Takes the next bytes and passes on the decoded ones in pieces.
    ///
    /// It also reports bytes without any output, so that the receiver can end the work.
    ///
    /// - Throws: The error of the sink; `.undecodableBody` for data in another format.
    func push(_ bytes: UnsafeRawBufferPointer, _ sink: Sink) throws(TransportError) {
      var left = Slice(base: bytes, bounds: bytes.indices)
      while !left.isEmpty {
        if !isPastEnd, isAtEnd || awaitsMagic { try passMemberEnd(&left, sink) }
        if isPastEnd { return try sink(left.count, UnsafeRawBufferPointer(start: nil, count: 0)) }
        guard !left.isEmpty else { return }
        let stream = try openStream(for: left)
        try inflate(&left, stream, sink)
      }
    }

    private func inflate(
      _ left: inout Slice<UnsafeRawBufferPointer>, _ stream: OpaquePointer, _ sink: Sink
    ) throws(TransportError) {
      // After the last input byte, zlib may hold more output than fits the buffer.
      while true {
        let input = UnsafeRawBufferPointer(rebasing: left).assumingMemoryBound(to: UInt8.self)
        var taken = input.count
        var made = room.count
        let status = czlib_inflate(
          stream, input.baseAddress, &taken,
          room.baseAddress?.assumingMemoryBound(to: UInt8.self), &made)
        left = left.dropFirst(taken)
        try sink(taken, UnsafeRawBufferPointer(rebasing: room[..<made]))
        switch status {
        case CZLIB_END:
          isAtEnd = true
          return
        case CZLIB_MORE:
          if made == room.count { continue }
          if left.isEmpty { return }
          guard taken > 0 || made > 0 else { throw Self.broken }
        default:
          throw Self.broken
        }
      }
    }

    private func openStream(for bytes: Slice<UnsafeRawBufferPointer>) throws(TransportError)
      -> OpaquePointer
    {
      if let stream { return stream }
      let format: czlib_format =
        switch coding {
        case .gzip: CZLIB_GZIP
        // If there is a header, the low half of its first byte is deflate's method.
        case .deflate: bytes[bytes.startIndex] & 0x0F == 8 ? CZLIB_ZLIB : CZLIB_RAW
        }
      guard let stream = czlib_open(format) else {
        throw .afterSending(.undecodableBody, "there is no memory to decode it")
      }
      self.stream = stream
      return stream
    }

    /// Begins the next member, if one follows.
    ///
    /// A gzip file may have several members (RFC 1952 §2.2). Other bytes behind the last one, such
    /// as zeros or a line feed, are ignored, as wget and Python's urllib3 do, and as node does for
    /// most; libcurl itself fails.
    private func passMemberEnd(
      _ left: inout Slice<UnsafeRawBufferPointer>, _ sink: Sink
    ) throws(TransportError) {
      guard coding == .gzip, let stream else { throw Self.broken }
      let isBegun = awaitsMagic
      awaitsMagic = !isBegun && left.count == 1 && left.first == Self.magic[0]
      // Where it is the last byte of the body, it is more likely of a member that was cut.
      isAtEnd = false
      guard !awaitsMagic else { return left = left.dropFirst() }
      guard left.starts(with: isBegun ? Self.magic[1...] : Self.magic[...]) else {
        (isAtEnd, isPastEnd) = (true, true)
        return
      }
      guard czlib_reset(stream) != 0 else { throw Self.broken }
      guard isBegun else { return }
      let fault = Self.magic[..<1].withUnsafeBytes { first -> TransportError? in
        var first = Slice(base: first, bounds: first.indices)
        do throws(TransportError) {
          try inflate(&first, stream, sink)
          return nil
        } catch {
          return error
        }
      }
      if let fault { throw fault }
    }

    private static var broken: TransportError {
      .afterSending(.undecodableBody, "its bytes do not match its Content-Encoding")
    }
  }

  /// The limits on decoding one response, relative to its received bytes.
  ///
  /// A coding inside a coding can grow without any output of content. Therefore the output of each
  /// stage counts, not only that of the last one.
  struct InflationBudget: Sendable {
    /// The maximum output of all stages for one call of `begin`.
    ///
    /// A single stage always stays below it: deflate makes at most 1,032 bytes of one, and libcurl
    /// delivers 16 KiB at a time.
    static let bytesPerCall = 64 << 20
    /// The maximum input of a stage without any output.
    ///
    /// An empty deflate block takes five bytes, and an empty gzip member takes twenty.
    static let silentBytes = 1 << 20

    private let limits: TransportLimits
    private var encodedBytes: Int64 = 0
    private var bytesOfCall = 0
    /// The output of each stage, and its input since the last output.
    private var stages: [(made: Int64, silent: Int)]

    init(_ limits: TransportLimits, stages count: Int) {
      self.limits = limits
      stages = Array(repeating: (0, 0), count: count)
    }

    /// Begins with the next received bytes.
    mutating func begin(encoded count: Int) {
      encodedBytes += Int64(count)
      bytesOfCall = 0
    }

    /// Counts the input and output of one stage.
    ///
    /// - Throws: A fault of kind `limitExceeded` or `undecodableBody` if a limit is exceeded.
    mutating func take(_ taken: Int, making made: Int, at stage: Int) throws(TransportError) {
      bytesOfCall += made
      stages[stage].made += Int64(made)
      stages[stage].silent = made > 0 ? 0 : stages[stage].silent + taken
      guard limits.allows(decodedBytes: stages[stage].made, of: encodedBytes) else {
        throw Self.ratio("more than \(limits.expansionRatio) bytes for each byte received")
      }
      guard bytesOfCall <= Self.bytesPerCall else {
        throw Self.ratio("more than \(Self.bytesPerCall) decoded bytes from one piece")
      }
      guard stages[stage].silent <= Self.silentBytes else {
        throw .afterSending(
          .undecodableBody, "more than \(Self.silentBytes) bytes of it decode to nothing")
      }
    }

    private static func ratio(_ detail: String) -> TransportError {
      .afterSending(.limitExceeded(.expansionRatio), detail)
    }
  }
#endif
