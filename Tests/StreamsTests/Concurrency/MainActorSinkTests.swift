import Foundation
import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("sink(on: .shared)", .leakFree)
@MainActor
struct MainActorSinkTests {
  /// State that only the main actor may touch.
  @MainActor
  final class Screen {
    var values: [Int] = []
    var end: Subscribers.Completion<TestError>?
    let done = Latch()
  }

  @Test("The closures run on the main actor, in order, whichever thread sends")
  func delivers() async {
    let screen = Screen()
    let source = PassthroughSubject<Int, TestError>()
    let cancellable = source.sink(
      on: .shared,
      receiveCompletion: { completion in
        screen.end = completion
        screen.done.fire()
      },
      receiveValue: { value in
        MainActor.assertIsolated()
        screen.values.append(value)
      })
    Thread {
      for value in 0..<1_000 { source.send(value) }
      source.send(completion: .failure(.second))
    }.start()
    await screen.done.wait()
    #expect(screen.values == Array(0..<1_000))
    #expect(screen.end == .failure(.second))
    cancellable.cancel()
  }

  @Test("The main actor can also be written as .mainActor, like the scheduler")
  func name() async {
    let screen = Screen()
    let cancellable = Just(1).sink(on: .mainActor) {
      screen.values.append($0)
      screen.done.fire()
    }
    await screen.done.wait()
    #expect(screen.values == [1])
    cancellable.cancel()
  }

  @Test("A stream that cannot fail needs no closure for the end")
  func cannotFail() async {
    let screen = Screen()
    let cancellable = [1, 2, 3].publisher.sink(on: .shared) { value in
      screen.values.append(value)
      if value == 3 { screen.done.fire() }
    }
    #expect(screen.values.isEmpty)
    await screen.done.wait()
    #expect(screen.values == [1, 2, 3])
    cancellable.cancel()
  }

  @Test("One closure takes the values and the failure of a stream that can fail")
  func results() async {
    let screen = Screen()
    let cancellable = [1, 2].publisher.setFailureType(to: TestError.self)
      .append(Fail<Int, TestError>(error: .second))
      .sink(on: .shared) { result in
        MainActor.assertIsolated()
        switch result {
        case .success(let value): screen.values.append(value)
        case .failure(let error):
          screen.end = .failure(error)
          screen.done.fire()
        }
      }
    #expect(screen.values.isEmpty)
    await screen.done.wait()
    #expect(screen.values == [1, 2])
    #expect(screen.end == .failure(.second))
    cancellable.cancel()
  }

  @Test("A closure without a parameter type takes the values of a stream that cannot fail")
  func plainClosure() async {
    let screen = Screen()
    let cancellable = Just(1).sink(on: .shared) {
      // Of a result there is no sum.
      screen.values.append($0 + 1)
      screen.done.fire()
    }
    await screen.done.wait()
    #expect(screen.values == [2])
    cancellable.cancel()
  }

  @Test("C-4: after a cancel on the main actor nothing arrives, even if values were on their way")
  func cancel() async {
    let screen = Screen()
    let cancellable = [1, 2, 3].publisher.sink(on: .shared) { screen.values.append($0) }
    cancellable.cancel()
    let later = Latch()
    MainActorScheduler().schedule { later.fire() }
    await later.wait()
    #expect(screen.values.isEmpty)
  }
}
