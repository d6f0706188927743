import StreamsFixtures
import StreamsTesting
import Testing

@testable import Streams

@Suite("The places of a subject's subscribers", .leakFree)
struct SubjectAudienceTests {
  private typealias Core = SubjectCore<NoMemory<Int>, Never>

  private func audience(of count: Int) -> (Core.Audience, [SubjectLink]) {
    var audience = Core.Audience(memory: NoMemory())
    let links = (0..<count).map { _ in SubjectLink() }
    for link in links { audience.append(SubjectEntry(link, AnySubscriber(TestSubscriber()))) }
    return (audience, links)
  }

  @Test("Gaps are closed when there are more than 16 and they are most of the places")
  func most() {
    var (audience, links) = audience(of: 100)
    for link in links[..<50] {
      #expect(audience.remove(link)?.link === link)
      audience.closeGaps()
    }
    #expect(audience.entries.count == 100 && audience.gaps == 50)
    #expect(audience.remove(links[99]) != nil)
    audience.closeGaps()
    #expect(audience.entries.count == 49 && audience.gaps == 0)
    #expect(links[50..<99].map(\.index) == Array(0..<49))
    #expect(audience.entry(of: links[60])?.link === links[60])
    #expect(audience.entry(of: links[0]) == nil && audience.remove(links[99]) == nil)
  }

  @Test("Up to 16 gaps stay until the last subscriber leaves", arguments: [1, 16, 17])
  func few(count: Int) {
    var (audience, links) = audience(of: count)
    for link in links.dropLast() {
      #expect(audience.remove(link) != nil)
      audience.closeGaps()
    }
    #expect(audience.gaps == count - 1 && audience.entries.count == count)
    #expect(audience.remove(links[count - 1]) != nil)
    audience.closeGaps()
    #expect(audience.gaps == 0 && audience.entries.isEmpty)
  }

  @Test("17 gaps are closed if they are more than half of the places", arguments: [33, 34])
  func half(count: Int) {
    var (audience, links) = audience(of: count)
    for link in links[..<17] { #expect(audience.remove(link) != nil) }
    audience.closeGaps()
    #expect(audience.entries.count == (count == 33 ? 16 : 34))
  }
}
