import Foundation

/// Where a chain of pages has been, to see that it goes in a circle.
///
/// It does not grow with the chain: a circle of up to ``memory`` pages is seen at its first page that
/// comes again. A longer one is seen by a mark, which is put further ahead each time (Brent's method): at
/// the latest after three times as many pages.
struct PageTrail: Sendable {
  static let memory = 100

  private var recent: [Substring] = []
  private var mark: Substring?
  private var count = 0
  private var nextMark = 1

  /// Notes a page.
  ///
  /// - Returns: Whether it is a new one, as far as is known.
  mutating func visit(_ page: URL) -> Bool {
    let page = page.withoutFragment
    guard page != mark, !recent.contains(page) else { return false }
    if recent.count == Self.memory { recent.removeFirst() }
    recent.append(page)
    count += 1
    if count == nextMark {
      mark = page
      nextMark *= 2
    }
    return true
  }
}
