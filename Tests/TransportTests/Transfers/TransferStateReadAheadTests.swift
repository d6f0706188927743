import Fixtures
import Foundation
import Streams
import Testing

@testable import RESTKit

@Suite("A transfer to a task that reads ahead")
struct TransferStateReadAheadTests {
  /// Stands for a task that reads ahead.
  private final class Reader: ReadAhead {
    func isAhead(whenTaken: @escaping @Sendable () -> Void) -> Bool { true }
  }

  /// Identifies the task that reads ahead.
  private struct Downstream: Subscriber {
    let reader: Reader

    var context: SubscriptionContext {
      SubscriptionContext().setting(ReadAheadKey.self, to: reader)
    }

    func receive(subscription: any Subscription) {}
    func receive(_ input: TransferEvent) -> Subscribers.Demand { .none }
    func receive(completion: Subscribers.Completion<any Error>) {}
  }

  private typealias State = TransferState<Downstream>

  private static let most = 128 << 10

  private func makeState(_ sizes: Int..., canPause: Bool = true) -> State {
    var state = State(downstream: Downstream(reader: Reader()), canPause: canPause)
    for size in sizes { state.append(.chunk(Data(count: size))) }
    return state
  }

  /// Takes a step: the size of the chunk that it delivers, -1 where it asks the reader, nil where there
  /// is none.
  private func step(_ state: inout State) -> Int? {
    switch state.next() {
    case .event(.chunk(let data), _): data.count
    case .ask: -1
    default: nil
    }
  }

  @Test("Beyond 128 KiB, but not at 128 KiB, the task is asked whether it has taken its events")
  func mark() {
    var state = makeState(Self.most, 1, 2)
    state.demand = .unlimited
    #expect(step(&state) == Self.most)
    state.delivered(.none)
    #expect(step(&state) == 1)
    state.delivered(.none)
    #expect(step(&state) == -1)
  }

  @Test("The task is asked once, and gets nothing more until it has taken everything")
  func held() {
    var state = makeState(Self.most + 1, 2)
    state.demand = .unlimited
    #expect(step(&state) == Self.most + 1)
    state.delivered(.none)
    #expect(step(&state) == -1)
    state.delivered(.none)
    #expect(step(&state) == nil)
    state.release()
    #expect(step(&state) == 2)
  }

  @Test("Events after an early release are delivered after the task's reply")
  func takenBeforeAnswer() {
    var state = makeState(Self.most + 1, 2)
    state.demand = .unlimited
    #expect(step(&state) == Self.most + 1)
    state.delivered(.none)
    #expect(step(&state) == -1)
    state.release()
    #expect(step(&state) == nil)
    state.delivered(.none)
    #expect(step(&state) == 2)
  }

  @Test("After the release the task may have 128 KiB more before the next question")
  func again() {
    var state = makeState(Self.most + 1, Self.most, 1, 2)
    state.demand = .unlimited
    #expect(step(&state) == Self.most + 1)
    state.delivered(.none)
    #expect(step(&state) == -1)
    state.release()
    state.delivered(.none)
    for size in [Self.most, 1] {
      #expect(step(&state) == size)
      state.delivered(.none)
    }
    #expect(step(&state) == -1)
  }

  @Test("The task is not asked before there is demand, or if the engine cannot pause")
  func unasked() {
    var state = makeState(Self.most + 1, 2)
    state.demand = .max(1)
    #expect(step(&state) == Self.most + 1)
    state.delivered(.none)
    #expect(step(&state) == nil)
    state.delivered(.max(1))
    #expect(step(&state) == -1)
    var endless = makeState(Self.most + 1, 2, canPause: false)
    endless.demand = .unlimited
    #expect(step(&endless) == Self.most + 1)
    endless.delivered(.none)
    #expect(step(&endless) == 2)
  }

  @Test("A closed transfer gives up its call and holds nothing")
  func close() {
    let freed = Counter()
    weak var held: Reader?
    var state: State
    do {
      let reader = Reader()
      held = reader
      state = State(downstream: Downstream(reader: reader), canPause: true)
    }
    state.call = EngineCall(completion: { _ in }) { _ in }
    state.append(.chunk(.watched(freed)))
    #expect(freed.value == 0)
    do {
      let (call, downstream) = state.close()
      #expect(call != nil)
      #expect(downstream != nil)
    }
    #expect(freed.value == 1)
    #expect(held == nil)
    #expect(state.close().0 == nil)
  }
}

extension Data {
  /// Bytes that count when they are freed.
  static func watched(_ freed: Counter) -> Data {
    let bytes = UnsafeMutableRawPointer.allocate(byteCount: 4_096, alignment: 1)
    bytes.initializeMemory(as: UInt8.self, repeating: 0, count: 4_096)
    return Data(
      bytesNoCopy: bytes, count: 4_096,
      deallocator: .custom { bytes, _ in
        bytes.deallocate()
        freed.add()
      })
  }
}
