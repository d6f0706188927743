extension HTTPHeaders {
  /// The links of all `Link` lines, in order (RFC 8288 §3).
  ///
  /// A line that has something else in it than links counts up to there. The time to read them grows
  /// with the length of the lines alone.
  public var links: [HTTPLink] {
    values(for: "Link").flatMap { line in
      var reader = LinkReader(line)
      var links: [HTTPLink] = []
      while let link = reader.next() { links.append(link) }
      return links
    }
  }
}
