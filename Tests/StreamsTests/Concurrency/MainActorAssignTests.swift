import Foundation
import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("assign(to:on:) to an object on the main actor", .leakFree)
@MainActor
struct MainActorAssignTests {
  @MainActor
  final class Model {
    var value = 0 {
      didSet { if value == last { done.fire() } }
    }
    var last = 0
    let done = Latch()
    var cancellables = Set<AnyCancellable>()
  }

  @Test("Values are written on the main actor, in order, whichever thread sends")
  func writes() async {
    let model = Model()
    model.last = 1_000
    let source = PassthroughSubject<Int, Never>()
    source.assign(to: \.value, on: model).store(in: &model.cancellables)
    Thread { for value in 1...1_000 { source.send(value) } }.start()
    await model.done.wait()
    #expect(model.value == 1_000)
    model.cancellables.removeAll()
  }

  @Test("assign does not hold the object, so the object can store the subscription")
  func releases() async {
    let source = PassthroughSubject<Int, Never>()
    weak var released: Model?
    do {
      let model = Model()
      source.assign(to: \.value, on: model).store(in: &model.cancellables)
      released = model
      source.send(1)
    }
    #expect(released == nil)
    source.send(2)
  }

  @Test("C-4: after a cancel on the main actor nothing is written, even if a value was on its way")
  func cancels() async {
    let model = Model()
    let source = PassthroughSubject<Int, Never>()
    let cancellable = source.assign(to: \.value, on: model)
    source.send(1)
    cancellable.cancel()
    let after = Latch()
    let later = Just(1).sink(on: .mainActor) { _ in after.fire() }
    await after.wait()
    #expect(model.value == 0)
    later.cancel()
  }
}
