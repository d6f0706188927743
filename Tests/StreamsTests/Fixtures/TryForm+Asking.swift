import Streams

extension TryForm {
  static let askingForms: [TryForm] = [
    tryDropForm, tryContainsForm, tryAllSatisfyForm, tryMinForm, tryMaxForm,
  ]

  private static let tryDropForm = TryForm(
    name: "tryDrop",
    untyped: { source, check in
      source.tryDrop { (value: Int) throws -> Bool in
        try check(value)
        return true
      }.inWords
    },
    typed: { source, check in
      source.tryDrop { (value: Int) throws(TestError) -> Bool in
        try check(value)
        return true
      }.inWords
    },
    fromNever: { source, check in
      source.tryDrop { (value: Int) throws(TestError) -> Bool in
        try check(value)
        return true
      }.inWords
    }
  )

  private static let tryContainsForm = TryForm(
    name: "tryContains",
    untyped: { source, check in
      source.tryContains { (value: Int) throws -> Bool in
        try check(value)
        return false
      }.inWords
    },
    typed: { source, check in
      source.tryContains { (value: Int) throws(TestError) -> Bool in
        try check(value)
        return false
      }.inWords
    },
    fromNever: { source, check in
      source.tryContains { (value: Int) throws(TestError) -> Bool in
        try check(value)
        return false
      }.inWords
    }
  )

  private static let tryAllSatisfyForm = TryForm(
    name: "tryAllSatisfy",
    untyped: { source, check in
      source.tryAllSatisfy { (value: Int) throws -> Bool in
        try check(value)
        return true
      }.inWords
    },
    typed: { source, check in
      source.tryAllSatisfy { (value: Int) throws(TestError) -> Bool in
        try check(value)
        return true
      }.inWords
    },
    fromNever: { source, check in
      source.tryAllSatisfy { (value: Int) throws(TestError) -> Bool in
        try check(value)
        return true
      }.inWords
    }
  )

  private static let tryMinForm = TryForm(
    name: "tryMin",
    untyped: { source, check in
      source.tryMin { (value: Int, _: Int) throws -> Bool in
        try check(value)
        return false
      }.inWords
    },
    typed: { source, check in
      source.tryMin { (value: Int, _: Int) throws(TestError) -> Bool in
        try check(value)
        return false
      }.inWords
    },
    fromNever: { source, check in
      source.tryMin { (value: Int, _: Int) throws(TestError) -> Bool in
        try check(value)
        return false
      }.inWords
    }
  )

  private static let tryMaxForm = TryForm(
    name: "tryMax",
    untyped: { source, check in
      source.tryMax { (_: Int, value: Int) throws -> Bool in
        try check(value)
        return false
      }.inWords
    },
    typed: { source, check in
      source.tryMax { (_: Int, value: Int) throws(TestError) -> Bool in
        try check(value)
        return false
      }.inWords
    },
    fromNever: { source, check in
      source.tryMax { (_: Int, value: Int) throws(TestError) -> Bool in
        try check(value)
        return false
      }.inWords
    }
  )
}
