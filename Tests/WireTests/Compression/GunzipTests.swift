import Foundation
import Testing

@testable import HTTPTransport

@Suite("The decoder of compressed bodies of requests")
struct GunzipTests {
  @Test("A body that was compressed is decoded", arguments: [0, 1, 100, 300_000])
  func decoded(count: Int) throws {
    let data = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 / 3) })
    let compressed = try #require(try GzipEncoder.encode(data, with: GzipEncoder()))
    #expect(Gunzip.decoded(compressed) == data)
    for cut in [1, 9, compressed.count / 2] where cut < compressed.count {
      #expect(Gunzip.decoded(compressed.dropLast(cut)) == nil)
    }
    #expect(Gunzip.decoded(compressed + [0]) == nil)
  }

  @Test("Other bytes are not decoded")
  func others() {
    for text in ["", "a", "{\"a\": 1}"] { #expect(Gunzip.decoded(Data(text.utf8)) == nil) }
  }
}
