#if os(Linux)
  /// The division of a host's connections among loops.
  struct ConnectionShare: Sendable {
    /// The number of loops, at most the number of connections to one host.
    let loops: Int
    /// The number of connections to one host, over all loops.
    let total: Int

    init(loops: Int = 1, connections: Int) {
      total = max(1, connections)
      self.loops = min(max(1, loops), total)
    }

    /// The maximum number of connections that one loop has to a host.
    var most: Int { (total + loops - 1) / loops }

    /// Returns the loop's number of connections to a host.
    ///
    /// Over all loops, the numbers add up to the limit. The first loops have the greater ones,
    /// since they begin first.
    func connections(of loop: Int) -> Int { total / loops + (loop < total % loops ? 1 : 0) }
  }
#endif
