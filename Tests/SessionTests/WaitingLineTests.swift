import Streams
import Testing

@testable import RESTKit

@Suite("The line of calls that wait for a credential")
struct WaitingLineTests {
  private func line(_ ids: Int...) -> WaitingLine {
    var line = WaitingLine()
    for id in ids { line.append(SessionWaiter(id: id, refused: nil) { _ in }) }
    return line
  }

  private func take(_ line: inout WaitingLine) -> [Int] { line.takeAll().map(\.id) }

  @Test("The line keeps the order of the places, with any order of arrival")
  func order() {
    for ids in [[1, 2, 3, 4], [4, 3, 2, 1], [3, 1, 4, 2], [2, 4, 1, 3]] {
      var line = line(ids[0], ids[1], ids[2], ids[3])
      #expect(line.count == 4)
      #expect(take(&line) == [1, 2, 3, 4])
      #expect(line.count == 0 && take(&line) == [])
    }
  }

  @Test("A removed place is removed once, and an unknown place changes nothing", arguments: 0..<5)
  func leaving(place: Int) {
    var line = line(10, 20, 30, 40, 50)
    for id in [5, 15, 25, 35, 45, 55] { #expect(line.remove(id) == nil) }
    let id = (place + 1) * 10
    #expect(line.remove(id)?.id == id)
    #expect(line.remove(id) == nil)
    #expect(line.count == 4)
    #expect(take(&line) == [10, 20, 30, 40, 50].filter { $0 != id })
  }

  @Test("A line is empty after all have left, and takes the next place")
  func allLeave() {
    var line = line(1, 2, 3)
    for id in [2, 1, 3] { #expect(line.remove(id)?.id == id) }
    #expect(line.count == 0)
    line.append(SessionWaiter(id: 2, refused: nil) { _ in })
    #expect(line.count == 1)
    #expect(take(&line) == [2])
  }
}
