import Streams

extension RESTAPI {
  /// The answers of a paged resource, page by page.
  ///
  /// A page is asked for when there is demand for it, and not before: `prefix(3)` sends three
  /// requests. Each answer comes on the transport's thread, in order; after a failure there is no
  /// further page.
  ///
  /// ```swift
  /// api.pages(from: Animals(page: 1)) { animals, answer in
  ///   answer.isLast ? nil : Animals(page: animals.page + 1)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - first: What to ask for first.
  ///   - next: Says what to ask for after an answer; nil after the last. A rule that never says nil
  ///     never ends by itself.
  public func pages<Page: Endpoint>(
    from first: Page, next: @escaping @Sendable (Page, Page.Response) -> Page?
  ) -> AnyPublisher<Page.Response, any Error> {
    let fetch: @Sendable (Page) -> AnyPublisher<(page: Page, answer: Page.Response), any Error> = {
      page in
      publisher(for: page).map { (page, $0) }.eraseToAnyPublisher()
    }
    return fetch(first)
      .expand { last in
        next(last.page, last.answer).map(fetch) ?? Empty().eraseToAnyPublisher()
      }
      .map(\.answer)
      .eraseToAnyPublisher()
  }
}
