import Foundation
import RESTKit
import Testing

extension IntegrationTests.Attack {
  // One at a time: where many connections end at once, Dispatch below URLSession can end the
  // process.
  @Suite("A response cut off at each of its bytes", .serialized)
  struct Cuts {
    @Test(
      "SEC-09: a response that is cut off is never a success, and always the right fault",
      arguments: TransportKind.allCases, CutResponse.all)
    func everyByte(kind: TransportKind, answer: CutResponse) async throws {
      let bytes = answer.bytes
      let peer = try RawPeer { visit in
        // "/a/17/closed": so many bytes, and so an end.
        let words = visit.target.split(separator: "/")
        let count = words.count == 3 ? Int(words[1]) ?? 0 : 0
        return [.send(Array(bytes.prefix(count)))] + (words.last == "reset" ? [.reset] : [])
      }
      defer { peer.stop() }
      let api = PeerAPI(peer.address, try kind.makeTransport(), redirects: .never)
      var wrong: [String] = []
      for place in 0...bytes.count {
        for ending in CutResponse.Ending.allCases {
          guard !answer.endsProcess(kind, cutAt: place) else { continue }
          for inPieces in [false, true] {
            let outcome = await api.outcome(
              answer.method, "a/\(place)/\(ending)", inPieces: inPieces)
            if !answer.allows(outcome, of: kind, cutAt: place, ending) {
              wrong.append(
                "\(ending) at \(place)\(inPieces ? ", in pieces" : ""): \(outcome.name)")
            }
          }
        }
      }
      #expect(wrong.isEmpty, "of \(bytes.count) bytes \(wrong.prefix(8))")
    }
  }
}
