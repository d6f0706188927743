#if os(Linux)
  internal import CCurl

  /// Undoes the content codings of one response (RFC 9110 §8.4), and knows whether all of it came.
  final class ContentDecoder {
    /// What a request says that it accepts.
    static let acceptedCodings: String = czlib_load() != 0 ? "gzip, deflate" : "identity"

    private static let maxCodings = 2

    /// In the order in which they are undone: the one applied last first.
    private let inflaters: [Inflater]
    private var budget: InflationBudget
    private var hasBegun = false

    /// - Returns: nil where the body is not encoded.
    /// - Throws: `.undecodableBody` for a coding that was not asked for.
    init?(_ headers: HTTPHeaders, limits: TransportLimits) throws(TransportError) {
      var inflaters: [Inflater] = []
      for coding in Self.codings(headers) {
        switch coding {
        case "gzip", "x-gzip": inflaters.insert(Inflater(.gzip), at: 0)
        case "deflate": inflaters.insert(Inflater(.deflate), at: 0)
        default: throw Self.fault("it is encoded with what was not asked for")
        }
      }
      guard inflaters.count <= Self.maxCodings else {
        throw Self.fault("it is encoded more than \(Self.maxCodings) times over")
      }
      guard !inflaters.isEmpty else { return nil }
      self.inflaters = inflaters
      budget = InflationBudget(limits, stages: inflaters.count)
    }

    /// Whether the head names a coding other than `identity`.
    static func isNeeded(for headers: HTTPHeaders) -> Bool { !codings(headers).isEmpty }

    /// The names of the codings other than `identity`, in small letters: the one applied first comes first.
    private static func codings(_ headers: HTTPHeaders) -> [String] {
      headers.values(for: "Content-Encoding")
        .flatMap { $0.split(separator: ",") }
        .map { part in part.filter { !$0.isWhitespace }.lowercased() }
        .filter { $0 != "" && $0 != "identity" }
    }

    /// Takes the next bytes of the encoded body in, and hands out what they become.
    ///
    /// - Parameters:
    ///   - isWanted: Asked again and again during the work, and ends it with its fault.
    ///   - sink: Takes decoded bytes, and says whether it wants more.
    /// - Throws: `.undecodableBody` where the bytes are not what the header says, `.limitExceeded` where
    ///   they become too much.
    /// - Returns: Whether the sink still wants more.
    func push(
      _ bytes: UnsafeRawBufferPointer,
      while isWanted: () throws(TransportError) -> Void = {},
      _ sink: (UnsafeRawBufferPointer) -> Bool
    ) throws(TransportError) -> Bool {
      if !bytes.isEmpty { hasBegun = true }
      budget.begin(encoded: bytes.count)
      do throws(Stop) {
        try push(bytes, stage: 0, while: isWanted, sink)
        return true
      } catch {
        switch error {
        case .fault(let fault): throw fault
        case .data(.refused): return false
        case .data(.broken): throw Self.fault("its bytes are not what Content-Encoding says")
        case .data(.outOfMemory): throw Self.fault("there is no memory to decode it")
        }
      }
    }

    /// The fault of a body that ends here; nil where all of it came.
    ///
    /// A body of no bytes is whole.
    var faultAtEnd: TransportError? {
      guard hasBegun, !inflaters.allSatisfy(\.isAtEnd) else { return nil }
      return TransportError(
        kind: .bodyCut, detail: "its compressed data end early", mayHaveBeenProcessed: true)
    }

    /// Why the work ended: its data, or what it costs.
    private enum Stop: Error {
      case data(Inflater.Failure)
      case fault(TransportError)
    }

    private func push(
      _ bytes: UnsafeRawBufferPointer, stage: Int,
      while isWanted: () throws(TransportError) -> Void,
      _ sink: (UnsafeRawBufferPointer) -> Bool
    ) throws(Stop) {
      guard stage < inflaters.count else {
        guard sink(bytes) else { throw .data(.refused) }
        return
      }
      var stop: Stop?
      do throws(Inflater.Failure) {
        try inflaters[stage].push(bytes) { taken, piece in
          do throws(Stop) {
            try pay(taken, making: piece.count, at: stage, while: isWanted)
            if !piece.isEmpty { try push(piece, stage: stage + 1, while: isWanted, sink) }
            return true
          } catch {
            stop = error
            return false
          }
        }
      } catch {
        throw stop ?? .data(error)
      }
    }

    private func pay(
      _ taken: Int, making made: Int, at stage: Int,
      while isWanted: () throws(TransportError) -> Void
    ) throws(Stop) {
      do throws(TransportError) {
        try budget.take(taken, making: made, at: stage)
        try isWanted()
      } catch {
        throw .fault(error)
      }
    }

    private static func fault(_ detail: String) -> TransportError {
      TransportError(kind: .undecodableBody, detail: detail, mayHaveBeenProcessed: true)
    }
  }
#endif
