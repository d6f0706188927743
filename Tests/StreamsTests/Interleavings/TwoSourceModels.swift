struct MergeModel: TwoSourceModel {
  private var ended = 0

  mutating func take(_ act: Act) -> [String] {
    switch act {
    case .first(let value), .second(let value): return ["\(value)"]
    case .firstEnds, .secondEnds:
      ended += 1
      return ended == 2 ? ["end"] : []
    case .firstFails, .secondFails: return ["fail"]
    case .cancel: return []
    }
  }
}

struct ZipModel: TwoSourceModel {
  private var waiting: (first: [Int], second: [Int]) = ([], [])
  private var ended = (first: false, second: false)

  mutating func take(_ act: Act) -> [String] {
    switch act {
    case .first(let value): waiting.first.append(value)
    case .second(let value): waiting.second.append(value)
    case .firstEnds: ended.first = true
    case .secondEnds: ended.second = true
    case .firstFails, .secondFails: return ["fail"]
    case .cancel: return []
    }
    var lines: [String] = []
    if let first = waiting.first.first, let second = waiting.second.first {
      waiting.first.removeFirst()
      waiting.second.removeFirst()
      lines.append("\(first),\(second)")
    }
    let isOver =
      (ended.first && waiting.first.isEmpty) || (ended.second && waiting.second.isEmpty)
    return isOver ? lines + ["end"] : lines
  }
}

struct CombineLatestModel: TwoSourceModel {
  private var latest: (first: Int?, second: Int?)
  private var ended = (first: false, second: false)

  mutating func take(_ act: Act) -> [String] {
    switch act {
    case .first(let value): latest.first = value
    case .second(let value): latest.second = value
    case .firstEnds:
      ended.first = true
      return ended.second || latest.first == nil ? ["end"] : []
    case .secondEnds:
      ended.second = true
      return ended.first || latest.second == nil ? ["end"] : []
    case .firstFails, .secondFails: return ["fail"]
    case .cancel: return []
    }
    guard let first = latest.first, let second = latest.second else { return [] }
    return ["\(first),\(second)"]
  }
}

struct WithLatestFromModel: TwoSourceModel {
  private var latest: Int?

  mutating func take(_ act: Act) -> [String] {
    switch act {
    case .first(let value): return latest.map { ["\(value),\($0)"] } ?? []
    case .second(let value):
      latest = value
      return []
    case .firstEnds: return ["end"]
    case .secondEnds: return latest == nil ? ["end"] : []
    case .firstFails, .secondFails: return ["fail"]
    case .cancel: return []
    }
  }
}

struct RaceModel: TwoSourceModel {
  private var winner: Int?

  mutating func take(_ act: Act) -> [String] {
    let lane =
      switch act {
      case .first, .firstEnds, .firstFails: 1
      default: 2
      }
    if winner == nil { winner = lane }
    guard winner == lane else { return [] }
    switch act {
    case .first(let value), .second(let value): return ["\(value)"]
    case .firstEnds, .secondEnds: return ["end"]
    case .firstFails, .secondFails: return ["fail"]
    case .cancel: return []
    }
  }
}

/// A model of `flatMap`, `switchToLatest` and `flatMapFirst`, in which each value of the first
/// source subscribes to the second one again.
struct FollowModel: TwoSourceModel {
  enum Rule { case all, latest, first }

  var rule = Rule.all
  private var followed = 0
  private var ended = (first: false, second: false)
  private var hasSecondFailed = false

  init() {}

  mutating func take(_ act: Act) -> [String] {
    switch act {
    case .first:
      if hasSecondFailed { return ["fail"] }
      if !ended.second { followed = rule == .all ? followed + 1 : 1 }
      return []
    case .second(let value):
      return Array(repeating: "\(value)", count: followed)
    case .firstEnds:
      ended.first = true
    case .secondEnds:
      ended.second = true
      followed = 0
    case .firstFails:
      return ["fail"]
    case .secondFails:
      hasSecondFailed = true
      return followed > 0 ? ["fail"] : []
    case .cancel:
      return []
    }
    return ended.first && followed == 0 ? ["end"] : []
  }
}

/// The second source starts at the end of the first.
///
/// Its earlier values are lost.
struct AppendModel: TwoSourceModel {
  private var isFirstOver = false
  private var second: String?

  mutating func take(_ act: Act) -> [String] {
    switch act {
    case .first(let value): return ["\(value)"]
    case .second(let value): return isFirstOver ? ["\(value)"] : []
    case .firstEnds:
      isFirstOver = true
      return second.map { [$0] } ?? []
    case .secondEnds: second = "end"
    case .firstFails: return ["fail"]
    case .secondFails: second = "fail"
    case .cancel: return []
    }
    return isFirstOver ? second.map { [$0] } ?? [] : []
  }
}

struct PrefixUntilModel: TwoSourceModel {
  mutating func take(_ act: Act) -> [String] {
    switch act {
    case .first(let value): return ["\(value)"]
    case .second, .firstEnds: return ["end"]
    case .firstFails: return ["fail"]
    case .secondEnds, .secondFails, .cancel: return []
    }
  }
}
