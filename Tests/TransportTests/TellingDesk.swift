#if os(Linux)
  @testable import RESTKit

  /// Tells what waits in an outbox, as the leader of an engine does.
  final class TellingDesk {
    let outbox = CurlOutbox()
    private(set) var pieces: CurlPieces?

    /// The pieces of a call that the desk tells from now on.
    func takePieces(of call: EngineCall, _ tell: EngineEventHandler?) -> CurlPieces? {
      pieces = tell.map { CurlPieces(call, tell: $0, outbox: outbox) }
      return pieces
    }

    func tellAll() {
      while let delivery = outbox.next() {
        let isPiece = delivery.callWithPieces != nil
        let flow = delivery.run()
        if isPiece { pieces?.noteTold(flow) }
      }
    }
  }
#endif
