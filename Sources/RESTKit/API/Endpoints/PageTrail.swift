import Foundation

/// The visited pages of a chain, to detect a circle.
///
/// Its size does not grow with the chain. It detects a circle of up to ``memory`` pages at the first
/// repeated page. A mark, which moves further ahead each time (Brent's method), detects a longer circle
/// after three times as many pages at the latest.
struct PageTrail: Sendable {
  static let memory = 100

  private var recent: [Substring] = []
  private var mark: Substring?
  private var count = 0
  private var nextMark = 1

  /// Records a page.
  ///
  /// - Returns: Whether the page is new, as far as the trail knows.
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
