extension Publisher {
  /// Sends the values of this publisher and another as they arrive.
  ///
  /// All publishers are subscribed, in order, before any of them gets demand.
  ///
  /// ```marble
  /// source: --1-----3--|
  /// other:  ----2------4--|
  /// merge(with: other)
  /// result: --1-2---3--4--|
  /// ```
  ///
  /// With limited demand, at most one value of each upstream waits:
  ///
  /// ```marble
  /// source:        -1---3--|
  /// source demand: 1--1-1
  /// other:         --2----4|
  /// other demand:  1--1
  /// merge(with: other)
  /// demand:        1--3
  /// result:        -1-2-3-4|
  /// ```
  ///
  /// - Demand: Requests everything from each upstream if the downstream requests everything.
  ///   Otherwise requests one value of each at a time, so at most one value of each waits.
  /// - Errors: The first failure of an upstream, at once. Waiting values are dropped.
  /// - Completion: When all upstreams have finished.
  /// - Cancellation: Cancels all upstreams.
  /// - Delivery: On the upstreams' threads, one value at a time. The values of one upstream keep
  ///   their order.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter other: A publisher with the same output and failure.
  @inlinable public func merge<Other: Publisher>(
    with other: Other
  ) -> Publishers.Merge<Self, Other>
  where
    Other.Output == Output, Other.Failure == Failure
  {
    Publishers.Merge(self, other)
  }

  /// Sends the values of this publisher and two others as they arrive.
  ///
  /// As ``merge(with:)``, for three publishers.
  ///
  /// ```marble
  /// source: --1--|
  /// b:      ----2--|
  /// c:      ------3--|
  /// merge(with: b, c)
  /// result: --1-2-3--|
  /// ```
  ///
  /// - Demand: Requests everything from each upstream if the downstream requests everything.
  ///   Otherwise requests one value of each at a time.
  @inlinable public func merge(
    with b: some Publisher<Output, Failure>, _ c: some Publisher<Output, Failure>
  ) -> Publishers.MergeMany<AnyPublisher<Output, Failure>> {
    [eraseToAnyPublisher(), b.eraseToAnyPublisher(), c.eraseToAnyPublisher()].merged()
  }

  /// Sends the values of this publisher and three others as they arrive.
  ///
  /// As ``merge(with:)``, for four publishers.
  ///
  /// ```marble
  /// source: --1--|
  /// b:      ----2--|
  /// c:      ------3--|
  /// d:      --------4--|
  /// merge(with: b, c, d)
  /// result: --1-2-3-4--|
  /// ```
  ///
  /// - Demand: Requests everything from each upstream if the downstream requests everything.
  ///   Otherwise requests one value of each at a time.
  @inlinable public func merge(
    with b: some Publisher<Output, Failure>, _ c: some Publisher<Output, Failure>,
    _ d: some Publisher<Output, Failure>
  ) -> Publishers.MergeMany<AnyPublisher<Output, Failure>> {
    [
      eraseToAnyPublisher(), b.eraseToAnyPublisher(), c.eraseToAnyPublisher(),
      d.eraseToAnyPublisher(),
    ].merged()
  }

  /// Sends the values of this publisher and four others as they arrive.
  ///
  /// As ``merge(with:)``, for five publishers.
  ///
  /// ```marble
  /// source: --1--|
  /// b:      ----2--|
  /// c:      ------3--|
  /// d:      --------4--|
  /// e:      ----------5--|
  /// merge(with: b, c, d, e)
  /// result: --1-2-3-4-5--|
  /// ```
  ///
  /// - Demand: Requests everything from each upstream if the downstream requests everything.
  ///   Otherwise requests one value of each at a time.
  @inlinable public func merge(
    with b: some Publisher<Output, Failure>, _ c: some Publisher<Output, Failure>,
    _ d: some Publisher<Output, Failure>, _ e: some Publisher<Output, Failure>
  ) -> Publishers.MergeMany<AnyPublisher<Output, Failure>> {
    [
      eraseToAnyPublisher(), b.eraseToAnyPublisher(), c.eraseToAnyPublisher(),
      d.eraseToAnyPublisher(), e.eraseToAnyPublisher(),
    ].merged()
  }

  /// Sends the values of this publisher and five others as they arrive.
  ///
  /// As ``merge(with:)``, for six publishers.
  ///
  /// ```marble
  /// source: --1--|
  /// b:      ----2--|
  /// c:      ------3--|
  /// d:      --------4--|
  /// e:      ----------5--|
  /// f:      ------------6--|
  /// merge(with: b, c, d, e, f)
  /// result: --1-2-3-4-5-6--|
  /// ```
  ///
  /// - Demand: Requests everything from each upstream if the downstream requests everything.
  ///   Otherwise requests one value of each at a time.
  @inlinable public func merge(
    with b: some Publisher<Output, Failure>, _ c: some Publisher<Output, Failure>,
    _ d: some Publisher<Output, Failure>, _ e: some Publisher<Output, Failure>,
    _ f: some Publisher<Output, Failure>
  ) -> Publishers.MergeMany<AnyPublisher<Output, Failure>> {
    [
      eraseToAnyPublisher(), b.eraseToAnyPublisher(), c.eraseToAnyPublisher(),
      d.eraseToAnyPublisher(), e.eraseToAnyPublisher(), f.eraseToAnyPublisher(),
    ].merged()
  }

  /// Sends the values of this publisher and six others as they arrive.
  ///
  /// As ``merge(with:)``, for seven publishers.
  ///
  /// ```marble
  /// source: --1--|
  /// b:      ----2--|
  /// c:      ------3--|
  /// d:      --------4--|
  /// e:      ----------5--|
  /// f:      ------------6--|
  /// g:      --------------7--|
  /// merge(with: b, c, d, e, f, g)
  /// result: --1-2-3-4-5-6-7--|
  /// ```
  ///
  /// - Demand: Requests everything from each upstream if the downstream requests everything.
  ///   Otherwise requests one value of each at a time.
  @inlinable public func merge(
    with b: some Publisher<Output, Failure>, _ c: some Publisher<Output, Failure>,
    _ d: some Publisher<Output, Failure>, _ e: some Publisher<Output, Failure>,
    _ f: some Publisher<Output, Failure>, _ g: some Publisher<Output, Failure>
  ) -> Publishers.MergeMany<AnyPublisher<Output, Failure>> {
    [
      eraseToAnyPublisher(), b.eraseToAnyPublisher(), c.eraseToAnyPublisher(),
      d.eraseToAnyPublisher(), e.eraseToAnyPublisher(), f.eraseToAnyPublisher(),
      g.eraseToAnyPublisher(),
    ].merged()
  }

  /// Sends the values of this publisher and seven others as they arrive.
  ///
  /// As ``merge(with:)``, for eight publishers.
  ///
  /// ```marble
  /// source: --1--|
  /// b:      ----2--|
  /// c:      ------3--|
  /// d:      --------4--|
  /// e:      ----------5--|
  /// f:      ------------6--|
  /// g:      --------------7--|
  /// h:      ----------------8--|
  /// merge(with: b, c, d, e, f, g, h)
  /// result: --1-2-3-4-5-6-7-8--|
  /// ```
  ///
  /// - Demand: Requests everything from each upstream if the downstream requests everything.
  ///   Otherwise requests one value of each at a time.
  @inlinable public func merge(
    with b: some Publisher<Output, Failure>, _ c: some Publisher<Output, Failure>,
    _ d: some Publisher<Output, Failure>, _ e: some Publisher<Output, Failure>,
    _ f: some Publisher<Output, Failure>, _ g: some Publisher<Output, Failure>,
    _ h: some Publisher<Output, Failure>
  ) -> Publishers.MergeMany<AnyPublisher<Output, Failure>> {
    [
      eraseToAnyPublisher(), b.eraseToAnyPublisher(), c.eraseToAnyPublisher(),
      d.eraseToAnyPublisher(), e.eraseToAnyPublisher(), f.eraseToAnyPublisher(),
      g.eraseToAnyPublisher(), h.eraseToAnyPublisher(),
    ].merged()
  }
}

extension Publishers {
  /// A publisher of the values of two publishers as they arrive.
  @frozen public struct Merge<A: Publisher, B: Publisher>: Publisher
  where
    B.Output == A.Output, B.Failure == A.Failure
  {
    public typealias Output = A.Output
    public typealias Failure = A.Failure

    public let a: A
    public let b: B

    @inlinable public init(_ a: A, _ b: B) {
      self.a = a
      self.b = b
    }

    @inlinable public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      let fanIn = FanIn<PassingSlot<Output>, Downstream>(for: subscriber)
      fanIn.attach(a) { $0.put($1) }
      fanIn.attach(b) { $0.put($1) }
      fanIn.start()
    }
  }
}

extension Publishers.Merge: Equatable
where A: Equatable, B: Equatable {}
