import Streams
import Testing

/// One of several cases of a test: a name, and a closure that makes the case.
package struct Setup<Make: Sendable>: Sendable, CustomTestStringConvertible {
  package let testDescription: String
  package let make: Make

  package init(_ name: String, _ make: Make) {
    testDescription = name
    self.make = make
  }
}

package typealias IntStream = AnyPublisher<Int, TestError>

extension Publisher where Output == Int, Failure == TestError {
  /// Short for tables.
  package var any: IntStream { eraseToAnyPublisher() }
}

/// Subjects, and operators that share a publisher among many subscribers.
package enum Sharing {
  package typealias MakeSubject = @Sendable () -> any Subject<Int, TestError>
  package typealias Share = @Sendable (IntStream) -> IntStream

  package static let subjects: [Setup<MakeSubject>] = [
    Setup("PassthroughSubject") { PassthroughSubject<Int, TestError>() },
    Setup("CurrentValueSubject") { CurrentValueSubject<Int, TestError>(-1) },
    Setup("ReplaySubject") { ReplaySubject<Int, TestError>(bufferSize: 1) },
  ]

  package static let shares: [Setup<Share>] = [
    Setup("share") { $0.share().any },
    Setup("share(replay:)") { $0.share(replay: 1).any },
    Setup("multicast, autoconnect") { source in
      source.multicast { PassthroughSubject() }.autoconnect().any
    },
    Setup("SingleFlight") { source in
      let flights = SingleFlight<Int, Int, TestError>()
      return flights.publisher(for: 0) { source }.any
    },
  ]
}

/// Operators that bring the values of a publisher which their closure makes.
package enum Following {
  package typealias Build = @Sendable (IntStream, @escaping @Sendable () -> IntStream) -> IntStream

  package static let all: [Setup<Build>] = [
    Setup("flatMap") { source, child in source.flatMap { _ in child() }.any },
    Setup("flatMap(maxPublishers: .max(1))") { source, child in
      source.flatMap(maxPublishers: .max(1)) { _ in child() }.any
    },
    Setup("switchToLatest") { source, child in
      source.map { _ in child() }.switchToLatest().any
    },
    Setup("flatMapLatest") { source, child in source.flatMapLatest { _ in child() }.any },
    Setup("flatMapFirst") { source, child in source.flatMapFirst { _ in child() }.any },
    Setup("catch") { source, child in
      source.tryMap { (_: Int) throws(TestError) -> Int in throw .first }.catch { _ in child() }.any
    },
    Setup("append(deferred)") { source, child in
      source.prefix(1).filter { _ in false }.append(Deferred { child() }).any
    },
    Setup("expand") { source, child in
      source.prefix(1).expand { value in value == 0 ? child() : Empty<Int, TestError>().any }
        .filter { $0 != 0 }.any
    },
  ]
}
