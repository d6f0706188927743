extension MainActor {
  /// The main actor, by the name that schedulers use: `sink(on: .mainActor)`.
  ///
  /// It is `MainActor.shared`.
  public static var mainActor: MainActor { shared }
}
