import Streams
import StreamsFixtures
import StreamsTesting

extension DepthCase {
  static let combining: [DepthCase] = [
    DepthCase("merge") { source, _ in source.merge(with: source) },
    DepthCase("merge: three") { source, _ in source.merge(with: source, Empty()) },
    DepthCase("merged") { _, _ in
      (0..<manyTimes / 10).map { Just($0).setFailureType(to: TestError.self) }.merged()
    },
    DepthCase("zip") { source, _ in source.zip(source) },
    DepthCase("zip: four") { source, _ in source.zip(source, source, source) },
    DepthCase("combineLatest") { source, _ in source.combineLatest(source) },
    DepthCase("withLatestFrom") { source, _ in
      source.withLatestFrom(Just(1).setFailureType(to: TestError.self))
    },
    DepthCase("race") { source, _ in source.race(with: Empty(completeImmediately: false)) },
    DepthCase("raced") { source, _ in [source, source].raced() },
    DepthCase("raced: very many") { source, _ in
      (0..<manyTimes / 10).map { _ in Empty<Int, TestError>(completeImmediately: false).any }
        .appending(source).raced()
    },
  ]

  static let following: [DepthCase] = [
    DepthCase("flatMap: empty ones") { source, _ in
      source.flatMap { _ in Empty<Int, TestError>() }
    },
    DepthCase("flatMap: the child's values") { source, _ in Just(0).flatMap { _ in source } },
    DepthCase("flatMapFirst") { source, _ in source.flatMapFirst { Just($0) } },
    DepthCase("flatMapFirst: the child's values") { source, _ in
      Just(0).flatMapFirst { _ in source }
    },
    DepthCase("flatMapLatest") { source, _ in source.flatMapLatest { Just($0) } },
    DepthCase("flatMapLatest: the child's values") { source, _ in
      Just(0).flatMapLatest { _ in source }
    },
    DepthCase("switchToLatest") { source, _ in
      source.map { Just($0).setFailureType(to: TestError.self) }.switchToLatest()
    },
    DepthCase("switchToLatest: the child's values") { source, _ in
      Just(source).setFailureType(to: TestError.self).switchToLatest()
    },
    DepthCase("expand: into nothing") { source, _ in
      source.expand { _ in Empty().eraseToAnyPublisher() }
    },
    DepthCase("expand") { _, _ in
      Just(0).setFailureType(to: TestError.self).expand { page in
        (page + 1 < manyTimes ? Optional(page + 1) : nil).publisher
          .setFailureType(to: TestError.self)
      }
    },
  ]

  static let sharing: [DepthCase] = [
    DepthCase("share: replay") { source, _ in source.share(replay: 2) },
    DepthCase("multicast", "autoconnect", "connect") { source, _ in
      source.multicast { PassthroughSubject() }.autoconnect()
    },
    DepthCase("makeConnectable") { source, _ in
      source.assertNoFailure().makeConnectable().autoconnect().setFailureType(to: TestError.self)
    },
    DepthCase("buffer") { source, _ in
      source.buffer(size: 3, prefetch: .keepFull, whenFull: .dropNewest)
    },
    DepthCase("buffer: by request") { source, _ in
      source.buffer(size: .max, prefetch: .byRequest, whenFull: .dropNewest)
    },
  ]

  static let timing: [DepthCase] = [
    DepthCase("receive") { source, scheduler in source.receive(on: scheduler) },
    DepthCase("collect: by time") { source, scheduler in
      source.collect(.byTimeOrCount(scheduler, .milliseconds(10), 3))
    },
  ]
}

extension Array {
  fileprivate func appending(_ element: Element) -> [Element] { self + [element] }
}
