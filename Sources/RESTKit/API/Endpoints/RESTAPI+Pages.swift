import Streams

extension RESTAPI {
  /// Returns a publisher of the answers of a paged resource, page by page.
  ///
  /// A page is requested only when there is demand for it: `prefix(3)` sends three requests. The
  /// answers arrive on the transport's thread, in order. No page follows a failure.
  ///
  /// ```swift
  /// api.pages(from: Animals(page: 1)) { animals, answer in
  ///   answer.isLast ? nil : Animals(page: animals.page + 1)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - first: The endpoint of the first page.
  ///   - next: A closure that returns the endpoint of the page after an answer, or nil after the last.
  ///     If it never returns nil, the publisher does not finish by itself.
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
