import Streams
import Testing

/// An operator whose closure may throw, in its three forms; each calls a check for the values that
/// its closure sees.
struct TryForm: Sendable, CustomTestStringConvertible {
  typealias Check = @Sendable (Int) throws(TestError) -> Void
  typealias Fallible = AnyPublisher<Int, TestError>
  typealias Infallible = AnyPublisher<Int, Never>

  let name: String
  let untyped: @Sendable (Fallible, @escaping Check) -> AnyPublisher<String, any Error>
  let typed: @Sendable (Fallible, @escaping Check) -> AnyPublisher<String, TestError>
  let fromNever: @Sendable (Infallible, @escaping Check) -> AnyPublisher<String, TestError>

  var testDescription: String { name }
}

extension Publisher {
  /// Values as text.
  var inWords: AnyPublisher<String, Failure> {
    map { "\($0)" }.eraseToAnyPublisher()
  }
}

extension TryForm {
  static let all = choosingForms + askingForms

  private static let choosingForms: [TryForm] = [
    tryScanForm, tryReduceForm, tryFilterForm, tryCompactMapForm, tryRemoveDuplicatesForm,
    tryFirstForm, tryLastForm, tryPrefixForm,
  ]

  private static let tryScanForm = TryForm(
    name: "tryScan",
    untyped: { source, check in
      source.tryScan(0) { (_: Int, value: Int) throws -> Int in
        try check(value)
        return value
      }.inWords
    },
    typed: { source, check in
      source.tryScan(0) { (_: Int, value: Int) throws(TestError) -> Int in
        try check(value)
        return value
      }.inWords
    },
    fromNever: { source, check in
      source.tryScan(0) { (_: Int, value: Int) throws(TestError) -> Int in
        try check(value)
        return value
      }.inWords
    }
  )

  private static let tryReduceForm = TryForm(
    name: "tryReduce",
    untyped: { source, check in
      source.tryReduce(0) { (_: Int, value: Int) throws -> Int in
        try check(value)
        return value
      }.inWords
    },
    typed: { source, check in
      source.tryReduce(0) { (_: Int, value: Int) throws(TestError) -> Int in
        try check(value)
        return value
      }.inWords
    },
    fromNever: { source, check in
      source.tryReduce(0) { (_: Int, value: Int) throws(TestError) -> Int in
        try check(value)
        return value
      }.inWords
    }
  )

  private static let tryFilterForm = TryForm(
    name: "tryFilter",
    untyped: { source, check in
      source.tryFilter { (value: Int) throws -> Bool in
        try check(value)
        return true
      }.inWords
    },
    typed: { source, check in
      source.tryFilter { (value: Int) throws(TestError) -> Bool in
        try check(value)
        return true
      }.inWords
    },
    fromNever: { source, check in
      source.tryFilter { (value: Int) throws(TestError) -> Bool in
        try check(value)
        return true
      }.inWords
    }
  )

  private static let tryCompactMapForm = TryForm(
    name: "tryCompactMap",
    untyped: { source, check in
      source.tryCompactMap { (value: Int) throws -> Int? in
        try check(value)
        return value
      }.inWords
    },
    typed: { source, check in
      source.tryCompactMap { (value: Int) throws(TestError) -> Int? in
        try check(value)
        return value
      }.inWords
    },
    fromNever: { source, check in
      source.tryCompactMap { (value: Int) throws(TestError) -> Int? in
        try check(value)
        return value
      }.inWords
    }
  )

  private static let tryRemoveDuplicatesForm = TryForm(
    name: "tryRemoveDuplicates",
    untyped: { source, check in
      source.tryRemoveDuplicates { (_: Int, value: Int) throws -> Bool in
        try check(value)
        return false
      }.inWords
    },
    typed: { source, check in
      source.tryRemoveDuplicates { (_: Int, value: Int) throws(TestError) -> Bool in
        try check(value)
        return false
      }.inWords
    },
    fromNever: { source, check in
      source.tryRemoveDuplicates { (_: Int, value: Int) throws(TestError) -> Bool in
        try check(value)
        return false
      }.inWords
    }
  )

  private static let tryFirstForm = TryForm(
    name: "tryFirst",
    untyped: { source, check in
      source.tryFirst { (value: Int) throws -> Bool in
        try check(value)
        return false
      }.inWords
    },
    typed: { source, check in
      source.tryFirst { (value: Int) throws(TestError) -> Bool in
        try check(value)
        return false
      }.inWords
    },
    fromNever: { source, check in
      source.tryFirst { (value: Int) throws(TestError) -> Bool in
        try check(value)
        return false
      }.inWords
    }
  )

  private static let tryLastForm = TryForm(
    name: "tryLast",
    untyped: { source, check in
      source.tryLast { (value: Int) throws -> Bool in
        try check(value)
        return true
      }.inWords
    },
    typed: { source, check in
      source.tryLast { (value: Int) throws(TestError) -> Bool in
        try check(value)
        return true
      }.inWords
    },
    fromNever: { source, check in
      source.tryLast { (value: Int) throws(TestError) -> Bool in
        try check(value)
        return true
      }.inWords
    }
  )

  private static let tryPrefixForm = TryForm(
    name: "tryPrefix",
    untyped: { source, check in
      source.tryPrefix { (value: Int) throws -> Bool in
        try check(value)
        return true
      }.inWords
    },
    typed: { source, check in
      source.tryPrefix { (value: Int) throws(TestError) -> Bool in
        try check(value)
        return true
      }.inWords
    },
    fromNever: { source, check in
      source.tryPrefix { (value: Int) throws(TestError) -> Bool in
        try check(value)
        return true
      }.inWords
    }
  )
}
