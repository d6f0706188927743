/// A call of several requests, one after another and beside each other.
///
/// Of requests with one method and one path, a call takes the first that is sent for the first that
/// was. So what may come in another order when the whole is repeated has a path of its own.
struct WorldPipeline: Sendable {
  /// The stage around everything that makes it one call.
  enum Whole: CaseIterable, Sendable {
    case retried, authorized, resent
  }

  enum Shape: CaseIterable, Sendable {
    case pair, chain, pairThenOne, chainBesideOne, oneThenPair

    var count: Int {
      switch self {
      case .pair, .chain: 2
      case .pairThenOne, .chainBesideOne, .oneThenPair: 3
      }
    }

    /// The two requests that are put together first.
    var firstTwo: Range<Int> { self == .oneThenPair ? 1..<3 : 0..<2 }

    /// Whether of these two one comes after the other.
    var beginsWithChain: Bool { self == .chain || self == .chainBesideOne }
  }

  enum Authorization: CaseIterable, Sendable {
    case byTheWhole, each
    /// The two that are put together first, as one.
    case together
    /// Each but one, which goes without.
    case allButOne
  }

  /// Where `retryOnceOnUnauthorizedResponse` stands at one request, as seen from its session.
  enum Resending: Sendable {
    case never, inside, outside
  }

  struct Request: Sendable {
    let name: String
    let path: String
    let isPost: Bool
    /// Whether its modifier makes a key, another one each time that it runs.
    let makesKey: Bool
    /// Whether it needs no token, and must have none.
    let isOpen: Bool
    /// Whether it is authorized by itself.
    let isAuthorized: Bool
    let resending: Resending
    /// Whether a 401 of another request repeats this one, too, as what surrounds both says.
    let isRepeatedWithOthers: Bool
  }

  let whole: Whole
  let shape: Shape
  let authorization: Authorization
  /// Whether the API has a retry policy, for each request by itself; one around all takes its
  /// place.
  let hasOwnPolicy: Bool
  let requests: [Request]

  /// Draws whether a call is one, and which.
  ///
  /// - Parameter call: How many calls were drawn before.
  init?(seed: UInt64, call: Int) {
    var draw = Draw(seed, "pipeline \(call)")
    guard draw.chance(25) else { return nil }
    let whole = draw.pick([Whole.retried, .retried, .authorized, .resent])
    let shape = draw.pick(Shape.allCases)
    let byParts = draw.pick([Authorization.each, .each, .together, .allButOne])
    let authorization = whole == .authorized ? .byTheWhole : byParts
    let openNumber = draw.number(0...shape.count - 1)
    // The end of a chain and what is beside the chain come in either order.
    let apart = draw.number(1...2)
    hasOwnPolicy = draw.chance(60)
    var requests: [Request] = []
    for number in 0..<shape.count {
      let isOpen = authorization == .allButOne && number == openNumber
      let isApart = shape == .chainBesideOne && number == apart
      let isOneOfTwo = authorization == .together && shape.firstTwo.contains(number)
      let isPost = draw.chance(65)
      requests.append(
        Request(
          name: "n\(number)", path: isOpen ? "open" : isApart ? "others" : "things",
          isPost: isPost, makesKey: draw.chance(60) && isPost, isOpen: isOpen,
          isAuthorized: authorization != .byTheWhole && !isOpen && !isOneOfTwo,
          resending: draw.pick([Resending.never, .never, .never, .inside, .outside]),
          isRepeatedWithOthers: whole != .retried || isOneOfTwo))
    }
    self.whole = whole
    self.shape = shape
    self.authorization = authorization
    self.requests = requests
  }

  /// Whether nothing is sent after the total time of its policy, if the policy is checked from the
  /// beginning.
  var keepsTotalTime: Bool { whole == .retried || (whole == .authorized && hasOwnPolicy) }

  func request(named name: String) -> Request? { requests.first { $0.name == name } }
}

extension WorldPipeline: CustomStringConvertible {
  var description: String {
    "\(whole) \(shape), authorized \(authorization)\(hasOwnPolicy ? ", retried each" : ""): "
      + requests.map { "\($0)" }.joined(separator: ", ")
  }
}

extension WorldPipeline.Request: CustomStringConvertible {
  var description: String {
    "\(name) \(isPost ? "POST" : "GET") \(path)\(makesKey ? " with a key" : "")"
      + (resending == .never ? "" : " resent \(resending)")
  }
}
