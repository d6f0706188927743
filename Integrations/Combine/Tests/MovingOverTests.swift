import StreamsCombine
import StreamsTesting
import Testing

@Suite("Moving over file by file")
struct MovingOverTests {
  @Test("A screen in Combine shows the profile that Streams makes of its edits")
  func screen() {
    let screen = ProfileScreen()
    screen.show(Profile(edits: screen.edits))
    screen.edits.send("Ada")
    #expect(screen.title == "Hello, Ada")
  }

  @Test("A debounce of Combine waits in virtual time")
  func search() {
    // snippet: virtual-time
    let time = TestScheduler()
    let words = SearchWords(scheduler: time.combineScheduler)
    words.typed.send("s")
    words.typed.send("swift")
    time.advance(by: .milliseconds(300))
    #expect(words.searched == ["swift"])
    // end
  }
}
