import Streams
import Testing

/// An operator set up so that it changes nothing: what goes in comes out.
///
/// So one test can ask the same of all of them.
struct Stage: Sendable, CustomTestStringConvertible {
  typealias Stream = AnyPublisher<Int, TestError>
  typealias Touch = @Sendable () -> Void

  enum Trigger: Sendable {
    case value, failure, nothing
  }

  let name: String
  /// Whether it asks its upstream only for what it was asked.
  var waitsForDemand = true
  /// Whether its subscription takes a cancel apart from its upstream's.
  var hasOwnSubscription = true
  /// What its closures run for.
  var trigger = Trigger.value
  /// Adds the operator; its closures, if it has any, call the touch.
  let attach: @Sendable (Stream, @escaping Touch) -> Stream

  var testDescription: String { name }

  func callAsFunction<Base: Publisher>(
    _ base: Base, touch: @escaping Touch = {}
  ) -> Stream where Base.Output == Int, Base.Failure == TestError {
    attach(base.eraseToAnyPublisher(), touch)
  }
}

extension Stage {
  static let all: [Stage] = transforms + recoveries + hops + selecting

  private static let transforms: [Stage] = [
    Stage(name: "map", hasOwnSubscription: false) { base, touch in
      base.map { value in
        touch()
        return value
      }.eraseToAnyPublisher()
    },
    Stage(name: "map(keyPath)", hasOwnSubscription: false, trigger: .nothing) { base, _ in
      base.map(\.self).eraseToAnyPublisher()
    },
    Stage(name: "tryMap, typed", hasOwnSubscription: false) { base, touch in
      base.tryMap { (value: Int) throws(TestError) -> Int in
        touch()
        return value
      }.eraseToAnyPublisher()
    },
    Stage(name: "tryMap, mapError", hasOwnSubscription: false) { base, touch in
      base.tryMap { (value: Int) throws -> Int in
        touch()
        return value
      }.mapError { ($0 as? TestError) ?? .third }.eraseToAnyPublisher()
    },
    Stage(name: "mapError", hasOwnSubscription: false, trigger: .failure) { base, touch in
      base.mapError { error in
        touch()
        return error
      }.eraseToAnyPublisher()
    },
    Stage(name: "filter", hasOwnSubscription: false) { base, touch in
      base.filter { _ in
        touch()
        return true
      }.eraseToAnyPublisher()
    },
    Stage(name: "compactMap", hasOwnSubscription: false) { base, touch in
      base.compactMap { value in
        touch()
        return Optional(value)
      }.eraseToAnyPublisher()
    },
    Stage(name: "encode, decode", hasOwnSubscription: false) { base, touch in
      let coder = LineCoder(touch: touch)
      return base.encode(encoder: coder).decode(type: Int.self, decoder: coder)
        .mapError { ($0 as? TestError) ?? .third }.eraseToAnyPublisher()
    },
    Stage(name: "handleEvents") { base, touch in
      base.handleEvents(
        receiveSubscription: { _ in touch() }, receiveOutput: { _ in touch() },
        receiveCompletion: { _ in touch() }, receiveCancel: touch, receiveRequest: { _ in touch() }
      ).eraseToAnyPublisher()
    },
    Stage(name: "eraseToAnyPublisher", hasOwnSubscription: false, trigger: .nothing) { base, _ in
      AnyPublisher(AnyPublisher(base))
    },
  ]

  private static let recoveries: [Stage] = [
    Stage(name: "catch", trigger: .failure) { base, touch in
      base.catch { error in
        touch()
        return Fail(outputType: Int.self, failure: error)
      }.eraseToAnyPublisher()
    },
    Stage(name: "tryCatch", trigger: .failure) { base, touch in
      base.tryCatch { error throws -> AnyPublisher<Int, TestError> in
        touch()
        throw error
      }.mapError { ($0 as? TestError) ?? .third }.eraseToAnyPublisher()
    },
    Stage(name: "retry", trigger: .nothing) { base, _ in base.retry(0).eraseToAnyPublisher() },
    Stage(name: "retryOn", trigger: .failure) { base, touch in
      base.retryOn(
        { _ in
          touch()
          return false
        }, retries: 3, chainedPublisher: Just(0)
      ).eraseToAnyPublisher()
    },
  ]

  private static let hops: [Stage] = [
    Stage(name: "flatMap", waitsForDemand: false) { base, touch in
      base.flatMap { value in
        touch()
        return Just(value)
      }.eraseToAnyPublisher()
    },
    Stage(name: "flatMap(maxPublishers: .max(1))", waitsForDemand: false) { base, touch in
      base.flatMap(maxPublishers: .max(1)) { value in
        touch()
        return Just(value)
      }.eraseToAnyPublisher()
    },
    Stage(name: "receive(on: .immediate)", trigger: .nothing) { base, _ in
      base.receive(on: .immediate).eraseToAnyPublisher()
    },
    Stage(name: "share", waitsForDemand: false, trigger: .nothing) { base, _ in
      base.share().eraseToAnyPublisher()
    },
  ]
}
