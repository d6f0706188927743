import Fixtures
import StreamsTesting
import Testing

@testable import HTTPTransport
@testable import HTTPWire
@testable import RESTKit

@Suite("SEC-17: links", .timeLimit(.minutes(10)))
struct LinkFuzzTests {
  private static let pieces = [
    "<", ">", ";", ",", "=", "\"", "\\", " ", "\t", "rel", "rel*", "next", "anchor", "é", "\0", "/",
    "https://", "?page=2", "REL=\"next last\"",
  ]

  private func written(_ link: HTTPLink, _ generator: inout SeededGenerator) -> String {
    let parameters = link.parameters.map { parameter in
      let escaped = parameter.value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
      let blank = generator.one(of: ["", " ", "\t "])
      let isToken =
        !parameter.value.isEmpty && parameter.value.utf8.allSatisfy(RequestValidation.isTokenByte)
      let value = isToken && Bool.random(using: &generator) ? escaped : "\"\(escaped)\""
      let name = Bool.random(using: &generator) ? parameter.name.uppercased() : parameter.name
      return "\(blank);\(blank)\(name)\(blank)=\(blank)\(value)"
    }
    return "<\(link.target)>" + parameters.joined()
  }

  @Test("Written links are read back", arguments: Fuzz.seeds)
  func roundTrips(seed: UInt64) {
    let texts = ["", "next", "a, b", "\"", "\\", "<c>; rel=next", "é", "x y"]
    Fuzz.run(seed, cases: 2_000) { generator, drawn in
      let links = (0..<generator.number(0...4)).map { _ in
        let parameters = (0..<generator.number(0...4)).map { _ in
          HTTPLink.Parameter(
            name: generator.one(of: ["rel", "title", "anchor", "title*"]),
            value: generator.one(of: texts))
        }
        return HTTPLink(
          target: generator.one(of: ["", "/a,b;c", "?p=\"1\"", "https://é.example"]),
          parameters: parameters)
      }
      let line = links.map { written($0, &generator) }.joined(
        separator: generator.one(of: [",", " , ", ",,"]))
      let read = HTTPHeaders([("link", line)]).links
      guard read == links else { return drawn.fail("\(line.debugDescription) is \(read)") }
    }
  }

  @Test("Any text is read without a crash, and a target ends at its bracket", arguments: Fuzz.seeds)
  func hostile(seed: UInt64) {
    Fuzz.run(seed, cases: 5_000) { generator, drawn in
      let line = generator.text(of: Self.pieces, 0...30)
      for link in HTTPHeaders([("Link", line)]).links {
        guard !link.target.contains(">"), line.contains("<\(link.target)>") else {
          return drawn.fail("\(line.debugDescription) has the target \(link.target)")
        }
      }
    }
  }

  @Test(
    "Half a mebibyte of hostile text takes no more steps than it has bytes",
    arguments: ["<", "<>;", "<>,", "<>;a=\"", "\"", ";", "<>;rel=\"a ", ","])
  func long(piece: String) {
    let line = String(repeating: piece, count: 500_000 / piece.utf8.count)
    let links = HTTPHeaders([("Link", line)]).links
    #expect(links.count <= line.utf8.count)
  }
}
