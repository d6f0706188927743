#if os(Linux)
  internal import CCurl

  /// Undoes the content codings of one response (RFC 9110 §8.4), and knows whether all of it came.
  final class ContentDecoder {
    /// What a request says that it accepts.
    static let acceptedCodings: String = czlib_load() != 0 ? "gzip, deflate" : "identity"

    private static let maxCodings = 3

    /// In the order in which they are undone: the one applied last first.
    private let inflaters: [Inflater]
    private var hasBegun = false

    /// - Returns: nil where the body is not encoded.
    /// - Throws: `.undecodableBody` for a coding that was not asked for.
    init?(_ headers: HTTPHeaders) throws(TransportFault) {
      var inflaters: [Inflater] = []
      for line in headers.values(for: "Content-Encoding") {
        for part in line.split(separator: ",") {
          let name = part.filter { !$0.isWhitespace }.lowercased()
          switch name {
          case "", "identity": continue
          case "gzip", "x-gzip": inflaters.insert(Inflater(.gzip), at: 0)
          case "deflate": inflaters.insert(Inflater(.deflate), at: 0)
          default: throw Self.fault("it is encoded with what was not asked for")
          }
        }
      }
      guard inflaters.count <= Self.maxCodings else {
        throw Self.fault("it is encoded more than \(Self.maxCodings) times over")
      }
      guard !inflaters.isEmpty else { return nil }
      self.inflaters = inflaters
    }

    /// Takes the next bytes of the encoded body in, and hands out what they become.
    ///
    /// - Parameter sink: Takes decoded bytes, and says whether it wants more.
    /// - Throws: `.undecodableBody` where the bytes are not what the header says.
    /// - Returns: Whether the sink still wants more.
    func push(
      _ bytes: UnsafeRawBufferPointer, _ sink: (UnsafeRawBufferPointer) -> Bool
    ) throws(TransportFault) -> Bool {
      if !bytes.isEmpty { hasBegun = true }
      do throws(Inflater.Failure) {
        try push(bytes, through: ArraySlice(inflaters), sink)
        return true
      } catch {
        switch error {
        case .refused: return false
        case .broken: throw Self.fault("its bytes are not what Content-Encoding says")
        case .outOfMemory: throw Self.fault("there is no memory to decode it")
        }
      }
    }

    /// The fault of a body that ends here; nil where all of it came.
    ///
    /// A body of no bytes is whole.
    var faultAtEnd: TransportFault? {
      guard hasBegun, !inflaters.allSatisfy(\.isAtEnd) else { return nil }
      return TransportFault(
        kind: .bodyCut, detail: "its compressed data end early", mayHaveBeenProcessed: true)
    }

    private func push(
      _ bytes: UnsafeRawBufferPointer, through inflaters: ArraySlice<Inflater>,
      _ sink: (UnsafeRawBufferPointer) -> Bool
    ) throws(Inflater.Failure) {
      guard let first = inflaters.first else {
        guard sink(bytes) else { throw .refused }
        return
      }
      var failure: Inflater.Failure?
      do throws(Inflater.Failure) {
        try first.push(bytes) { piece in
          do throws(Inflater.Failure) {
            try push(piece, through: inflaters.dropFirst(), sink)
            return true
          } catch {
            failure = error
            return false
          }
        }
      } catch {
        throw failure ?? error
      }
    }

    private static func fault(_ detail: String) -> TransportFault {
      TransportFault(kind: .undecodableBody, detail: detail, mayHaveBeenProcessed: true)
    }
  }
#endif
