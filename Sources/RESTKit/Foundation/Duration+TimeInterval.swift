extension Duration {
  /// The same in seconds.
  var timeInterval: Double { self / .seconds(1) }
}
