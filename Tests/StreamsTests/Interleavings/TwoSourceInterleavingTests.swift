import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("Two sources and a cancel, in every possible order", .leakFree)
struct TwoSourceInterleavingTests {
  typealias Source = PassthroughSubject<Int, TestError>

  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let build: @Sendable (Source, Source) -> AnyPublisher<String, TestError>
    let lines: @Sendable ([Act]) -> [String]

    init<Model: TwoSourceModel>(
      _ name: String, _ model: Model.Type,
      _ build: @escaping @Sendable (Source, Source) -> any Publisher<String, TestError>
    ) {
      testDescription = name
      self.build = { build($0, $1).eraseToAnyPublisher() }
      lines = { Model.lines(of: $0) }
    }

    static let all = [
      Case("merge", MergeModel.self) { $0.merge(with: $1).map { "\($0)" } },
      Case("zip", ZipModel.self) { $0.zip($1) { "\($0),\($1)" } },
      Case("combineLatest", CombineLatestModel.self) { $0.combineLatest($1) { "\($0),\($1)" } },
      Case("withLatestFrom", WithLatestFromModel.self) {
        $0.withLatestFrom($1) { "\($0),\($1)" }
      },
      Case("race", RaceModel.self) { $0.race(with: $1).map { "\($0)" } },
      Case("flatMap", FlatMapModel.self) { first, second in
        first.flatMap { _ in second }.map { "\($0)" }
      },
      Case("switchToLatest", SwitchModel.self) { first, second in
        first.map { _ in second }.switchToLatest().map { "\($0)" }
      },
      Case("flatMapLatest", SwitchModel.self) { first, second in
        first.flatMapLatest { _ in second }.map { "\($0)" }
      },
      Case("flatMapFirst", FlatMapFirstModel.self) { first, second in
        first.flatMapFirst { _ in second }.map { "\($0)" }
      },
      Case("append", AppendModel.self) { $0.append($1).map { "\($0)" } },
      Case("prefix(untilOutputFrom:)", PrefixUntilModel.self) {
        $0.prefix(untilOutputFrom: $1).map { "\($0)" }
      },
    ]
  }

  enum Ending: CaseIterable, Sendable {
    case finish, failure
  }

  @Test(
    "C-1, C-2, C-4: each operator matches its model, one signal at a time",
    arguments: Case.all,
    Ending.allCases)
  func model(of operator: Case, secondEnding: Ending) throws {
    for firstEnding in Ending.allCases {
      let lanes: ([Act], [Act], [Act]) = (
        [.first(1), .first(2), .first(3), firstEnding == .finish ? .firstEnds : .firstFails],
        [.second(10), .second(20), secondEnding == .finish ? .secondEnds : .secondFails],
        [.cancel]
      )
      try Interleaving.explore(Interleaving.every(4, 3, 1)) { interleaving in
        let acts = interleaving.merged(lanes.0, lanes.1, lanes.2)
        let (first, second) = (Source(), Source())
        let subscriber = TestSubscriber<String, TestError>()
        `operator`.build(first, second).subscribe(subscriber)
        for act in acts {
          switch act {
          case .first(let value): first.send(value)
          case .second(let value): second.send(value)
          case .firstEnds: first.send(completion: .finished)
          case .secondEnds: second.send(completion: .finished)
          case .firstFails: first.send(completion: .failure(.first))
          case .secondFails: second.send(completion: .failure(.second))
          case .cancel: subscriber.cancel()
          }
        }
        try #require(subscriber.lines == `operator`.lines(acts))
        try #require(subscriber.overlaps == 0)
      }
    }
  }
}

typealias FlatMapModel = FollowModel

struct SwitchModel: TwoSourceModel {
  private var base = FollowModel()

  init() { base.rule = .latest }

  mutating func take(_ act: Act) -> [String] { base.take(act) }
}

struct FlatMapFirstModel: TwoSourceModel {
  private var base = FollowModel()

  init() { base.rule = .first }

  mutating func take(_ act: Act) -> [String] { base.take(act) }
}

extension TestSubscriber where Input == String {
  /// The signals after the subscription: values, then `end` or `fail`.
  var lines: [String] {
    signals.compactMap { signal in
      switch signal {
      case .subscription: nil
      case .value(let value): value
      case .completion(.finished): "end"
      case .completion(.failure): "fail"
      }
    }
  }
}
