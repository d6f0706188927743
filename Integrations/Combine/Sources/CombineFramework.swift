#if canImport(Combine)
  import Combine

  /// A namespace for Combine's types, whose names would otherwise clash with those of Streams.
  ///
  /// The types are Combine's on Apple's systems and OpenCombine's on Linux. Code with these names
  /// compiles on both.
  public enum CombineFramework {
    public typealias AnyCancellable = Combine.AnyCancellable
    public typealias Cancellable = Combine.Cancellable
    public typealias Publisher = Combine.Publisher
    public typealias Scheduler = Combine.Scheduler
    public typealias SchedulerTimeIntervalConvertible = Combine.SchedulerTimeIntervalConvertible
    public typealias Subscriber = Combine.Subscriber
    public typealias Subscribers = Combine.Subscribers
    public typealias Subscription = Combine.Subscription
  }
#else
  import OpenCombine

  /// A namespace for Combine's types, whose names would otherwise clash with those of Streams.
  ///
  /// The types are Combine's on Apple's systems and OpenCombine's on Linux. Code with these names
  /// compiles on both.
  public enum CombineFramework {
    public typealias AnyCancellable = OpenCombine.AnyCancellable
    public typealias Cancellable = OpenCombine.Cancellable
    public typealias Publisher = OpenCombine.Publisher
    public typealias Scheduler = OpenCombine.Scheduler
    public typealias SchedulerTimeIntervalConvertible =
      OpenCombine.SchedulerTimeIntervalConvertible
    public typealias Subscriber = OpenCombine.Subscriber
    public typealias Subscribers = OpenCombine.Subscribers
    public typealias Subscription = OpenCombine.Subscription
  }
#endif
