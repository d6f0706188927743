import Foundation
import RESTKit
import RESTKitTesting
import RESTKitTestingTraits
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension TestingGuide {
  @Suite("The examples of the guide to testing", .stubs)
  struct Examples {
    @Test("Without a test library")
    func bare() async throws {
      // snippet: bare
      let stubs = StubTransport(
        StubAPIResponse(request: StubRequest(.get, path: "/v1/orders/*"), statusCode: 404))
      let response = try await ShopAPI(transport: stubs).get(endpoint: "orders/7").value
      assert(response.statusCode == 404)
      try stubs.verify()
      // end
    }

    @Test("A closure as a transport")
    func closure() async throws {
      // snippet: closure
      let transport = ClosureTransport { request in
        switch request.url?.path() {
        case "/v1/orders/7": .json(#"{"id": 7, "sku": "A-1"}"#, to: request)
        case "/v1/orders/8": throw TransportError(kind: .timedOut, mayHaveBeenProcessed: false)
        default: .status(404, to: request)
        }
      }
      let order = try await ShopAPI(transport: transport).order(7).value
      // end
      #expect(order == Order(id: 7, sku: "A-1"))
      let missing = try await ShopAPI(transport: transport).get(endpoint: "orders/9").value
      #expect(missing.statusCode == 404)
      let error = await #expect(throws: RESTError.self) {
        try await ShopAPI(transport: transport).order(8).value
      }
      #expect(error?.kind == .transport(.timedOut))
    }

    @Test("The conditions of a stub on a request")
    func matchers() async throws {
      // snippet: matchers
      let stubs = StubTransport(
        StubAPIResponse(
          request: StubRequest(.post, urlString: "https://shop.example.com/v1/orders")
            .header("Content-Type", "application/json")
            .jsonBody(containing: #"{"sku": "A-1"}"#),
          statusCode: 201, result: .json(#"{"id": 7, "sku": "A-1"}"#)))
      // end
      _ = try await ShopAPI(transport: stubs).place(Order(id: 0, sku: "A-1")).value
    }

    @Test("Conditions by expressions and paths")
    func expressions() async throws {
      // snippet: expressions
      let stubs = StubTransport(
        StubAPIResponse(
          request: StubRequest(.post, path: "/v1/orders")
            .header("Authorization", matching: "Bearer .+")
            .withoutQuery("debug")
            .jsonBody(at: "$.sku", matching: "[A-Z]-[0-9]+"),
          statusCode: 201, result: .json(#"{"id": 7, "sku": "A-1"}"#)))
      // end
      let body = Data(#"{"id": 0, "sku": "A-1"}"#.utf8)
      let response = try await ShopAPI(transport: stubs).post(
        endpoint: "orders", body: .data(body)
      ) { $0.settingHeader("Authorization", to: "Bearer 1") }
      .value
      #expect(response.statusCode == 201)
    }

    @Test("A response that is made of the request")
    func responder() async throws {
      // snippet: responder
      let stubs = StubTransport(
        StubAPIResponse(request: StubRequest(.post, path: "/v1/orders")) { request in
          let order = try JSONDecoder().decode(Order.self, from: request.httpBody ?? Data())
          return StubResponse(
            statusCode: 201, result: .json(encoding: Order(id: 7, sku: order.sku)))
        }
        .always())
      // end
      for sku in ["A-1", "A-2"] {
        let placed = try await ShopAPI(transport: stubs).place(Order(id: 0, sku: sku)).value
        #expect(placed == Order(id: 7, sku: sku))
      }
    }

    @Test("Delays and faults that a seed draws")
    func chances() throws {
      // snippet: chances
      let scheduler = TestScheduler()
      let stubs = StubTransport(
        StubAPIResponse(
          request: StubRequest(.get, path: "/v1/orders/7"),
          result: .json(#"{"id": 7, "sku": "A-1"}"#)
        )
        .delayed(by: .milliseconds(50)...(.seconds(2)), seed: 1)
        .failing(with: .connectionRefused, probability: 0.2, seed: 2)
        .repeats(100),
        scheduler: scheduler)
      // end
      var failures = 0
      for _ in 1...100 {
        let order = TestSubscriber<Order, any Error>()
        ShopAPI(transport: stubs).order(7).receive(subscriber: order)
        scheduler.advance(by: .seconds(2))
        failures += order.failure == nil ? 0 : 1
      }
      #expect((5...40).contains(failures))
    }

    @Test("Scripts of a folder")
    func files() async throws {
      // snippet: files
      let stubs = StubTransport(StubAPIResponse.scripts(in: "Fixtures/orders"))
      let order = try await ShopAPI(transport: stubs).order(7).value
      let placed = try await ShopAPI(transport: stubs).place(Order(id: 0, sku: "A-2")).value
      // end
      #expect(order == Order(id: 7, sku: "A-1"))
      #expect(placed == Order(id: 8, sku: "A-2"))
    }

    @Test("A script that repeats")
    func script() async throws {
      // snippet: script
      let stubs = StubTransport(
        StubAPIResponse(request: StubRequest(.get, path: "/v1/orders/7"), statusCode: 503)
          .repeats(2)
          .thenRespondWith(
            request: StubRequest(.get, path: "/v1/orders/7"),
            result: .json(#"{"id": 7, "sku": "A-1"}"#)),
        StubAPIResponse(request: StubRequest(.post, host: "metrics.example.com"))
          .always().optional())
      // end
      let order = ShopAPI(transport: stubs).order(7).retry(2)
      _ = try await order.eraseToAnyPublisher().value
    }

    @Test("A request is verified when it arrives")
    func verify() async throws {
      // snippet: verify
      let stubs = StubTransport(
        StubAPIResponse(
          request: StubRequest(.post, path: "/v1/orders"), statusCode: 201,
          result: .json(#"{"id": 7, "sku": "A-1"}"#)
        )
        .thenVerifyRequest { request in
          let order = try JSONDecoder().decode(Order.self, from: #require(request.httpBody))
          #expect(order.sku == "A-1")
        })
      // end
      _ = try await ShopAPI(transport: stubs).place(Order(id: 0, sku: "A-1")).value
    }

    @Test("Time passes only when the test advances it")
    func time() throws {
      // snippet: time
      let scheduler = TestScheduler()
      let stubs = StubTransport(
        StubAPIResponse(
          request: StubRequest(.get, path: "/v1/orders/7"), result: .json("{}"), delay: .seconds(5)
        ).throttled(bytesPerSecond: 1),
        scheduler: scheduler)
      let response = ShopAPI(transport: stubs).get(endpoint: "orders/7").testSubscriber()

      scheduler.advance(by: .seconds(6))
      #expect(response.values.isEmpty)
      scheduler.advance(by: .seconds(1))
      #expect(response.values.count == 1)
      // end
    }

    // snippet: virtual-time
    @Test("A call is repeated when the server says so", .virtualTime)
    func repeated() throws {
      let time = try #require(VirtualTime.current)
      let order = StubRequest(.get, path: "/v1/orders/7")
      let stubs = StubTransport(
        StubAPIResponse(request: order, statusCode: 503, headers: ["Retry-After": "2"]),
        StubAPIResponse(request: order, result: .json(#"{"id": 7}"#)))
      let response = ShopAPI(transport: stubs).get(endpoint: "orders/7")
        .retry(RetryPolicy(baseDelay: .zero))
        .testSubscriber()

      time.advance(by: .seconds(2))
      #expect(response.values.map(\.statusCode) == [200])
    }
    // end

    // snippet: own-type-test
    @Test("A search waits for a pause in typing", .virtualTime)
    func search() throws {
      let time = try #require(VirtualTime.current)
      let stubs = StubTransport(
        StubAPIResponse(request: StubRequest(.get, path: "/v1/orders").query(["q": "tea"])))
      let words = PassthroughSubject<String, any Error>()
      let response = OrderSearch(ShopAPI(transport: stubs)).orders(for: words).testSubscriber()

      words.send("te")
      words.send("tea")
      time.advance(by: .milliseconds(300))
      #expect(response.values.count == 1)
    }
    // end

    @Test("A body in pieces")
    func pieces() throws {
      // snippet: pieces
      let scheduler = TestScheduler()
      let stubs = StubTransport(
        StubAPIResponse(
          request: StubRequest(.get, path: "/v1/orders/feed"),
          pieces: ["data: a\n\n", .after(.seconds(2), "data: b\n\n"), .wait(.seconds(1))], end: .cut
        ),
        scheduler: scheduler)
      let feed = ShopAPI(transport: stubs).events(endpoint: "orders/feed").testSubscriber()

      #expect(feed.values.count == 2)  // the head, and the first piece
      scheduler.advance(by: .seconds(2))
      #expect(feed.values.count == 3)
      scheduler.advance(by: .seconds(1))
      #expect((feed.failure as? RESTError)?.kind == .transport(.bodyCut))
      #expect(stubs.journal.map(\.bodyBytes) == [18])
      // end
    }

    @Test("A server responds early and holds a piece back")
    func server() async throws {
      // snippet: server
      let gate = MockGate()
      let server = try MockServer(early: { request in
        request.path == "/v1/uploads" ? .text("too large", status: 413) : nil
      }) { _ in
        MockResponse(status: 200, delivery: .pieces(["data: a\n\n", .when(gate, "data: b\n\n")]))
      }
      defer { server.stop() }
      // end
      let url = try #require(URL(string: server.baseURL + "/v1/uploads"))
      var upload = URLRequest(url: url)
      upload.httpMethod = "POST"
      upload.httpBody = Data(count: 1 << 20)
      let refusal = try await SharedTransport().response(for: upload).value
      #expect(refusal.statusCode == 413)
      gate.open()
      let feed = try await SharedTransport().response(for: URLRequest(url: url)).value
      #expect(feed.data == Data("data: a\n\ndata: b\n\n".utf8))
    }

    private func upload(_ body: Data, to server: MockServer) async throws {
      var request = URLRequest(url: try #require(URL(string: server.baseURL)))
      request.httpMethod = "POST"
      request.httpBody = body
      let response = try await SharedTransport().response(for: request).value
      #expect(response.data == Data("\(body.count)".utf8))
    }

    @Test("A server keeps bodies up to a limit")
    func serverMemory() async throws {
      // snippet: server-memory
      let server = try MockServer(bodyLimit: 4) { request in
        .text("\(request.body.count)")  // a handler gets all of it
      }
      defer { server.stop() }
      try await upload(Data("abcdef".utf8), to: server)
      #expect(server.requests.map(\.body) == [Data("abcd".utf8)])
      #expect(server.requests.map(\.bodyLength) == [6])

      server.forgetRequests()
      try await upload(Data("gh".utf8), to: server)
      #expect(server.requests.map(\.body) == [Data("gh".utf8)])
      // end
    }

    #if os(Linux)
      @Test("One script in memory and on a socket")
      func worlds() async throws {
        // snippet: worlds
        let script = StubAPIResponse(
          request: StubRequest(.get, path: "/v1/orders/7"), result: .fault(.resetInBody))

        for stubs in [StubTransport(script), try StubTransport(script, over: CurlTransport())] {
          let error = await #expect(throws: RESTError.self) {
            try await ShopAPI(transport: stubs).order(7).value
          }
          #expect(error?.kind == .transport(.connectionReset))
        }
        // end
      }
    #endif

    @Test("The journal")
    func journal() async throws {
      let stubs = StubTransport(
        StubAPIResponse(
          request: StubRequest(.get, path: "/v1/orders/7"), statusCode: 302,
          headers: ["Location": "/v1/orders/8"]
        )
        .thenRespondWith(
          request: StubRequest(.get, path: "/v1/orders/8"), result: .json(#"{"id": 8, "sku": "B"}"#)
        ))
      _ = try await ShopAPI(transport: stubs).order(7).value
      // snippet: journal
      #expect(stubs.journal.map(\.request.url?.path) == ["/v1/orders/7", "/v1/orders/8"])
      #expect(stubs.journal.map(\.outcome) == [.answered(302), .answered(200)])
      #expect(stubs.journal.map(\.cause) == [.first, .redirect])
      // end
    }
  }
}

extension TestingGuide {
  // snippet: own-type
  struct OrderSearch {
    let shop: ShopAPI
    let scheduler: any Scheduler

    init(_ shop: ShopAPI, scheduler: any Scheduler = StandardTime.scheduler(else: .mainActor)) {
      self.shop = shop
      self.scheduler = scheduler
    }

    func orders(
      for words: some Publisher<String, any Error>
    ) -> AnyPublisher<RESTResponse, any Error> {
      words
        .debounce(for: .milliseconds(300), scheduler: scheduler)
        .map { shop.get(endpoint: "orders", query: ["q": $0]) }
        .switchToLatest()
        .eraseToAnyPublisher()
    }
  }
  // end
}
