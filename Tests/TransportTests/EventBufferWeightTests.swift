import Foundation
import Streams
import Testing

@testable import HTTPTransport

@Suite("The number of events that wait in a buffer is limited, too")
struct EventBufferWeightTests {
  private let lines = BufferedLines()
  private let mark = 128 << 10

  @Test("A chunk of a few bytes counts with 64, so that the number of waiting chunks is limited")
  func smallChunks() {
    let buffer = lines.makeBuffer()
    for _ in 0..<mark / 64 { #expect(buffer.append(1).flow == .more) }
    #expect(buffer.append(1).flow == .pause)
    buffer.request(.unlimited)
    #expect(lines.take().count == mark / 64 + 2)
    #expect(buffer.append(65).flow == .more)
    let failing = lines.makeBuffer(limit: 640)
    for _ in 0..<10 { #expect(failing.append(1).flow == .more) }
    #expect(failing.append(1).flow == .stop)
  }

  @Test("What was delivered no longer counts, whatever the size of its chunks")
  func weights() {
    let buffer = lines.makeBuffer()
    for _ in 0..<3 {
      for size in [1, 64, 65, 1_000] { #expect(buffer.append(size).flow == .more) }
      #expect(buffer.append(mark - 64 - 64 - 65 - 1_000).flow == .more)
      buffer.request(.max(5))
    }
    #expect(buffer.append(mark).flow == .more)
    #expect(buffer.append(1).flow == .pause)
  }
}
