// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "RESTKitAsyncHTTPClient",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "RESTKitAsyncHTTPClient", targets: ["RESTKitAsyncHTTPClient"])
  ],
  dependencies: [
    .package(name: "RESTKit", path: "../.."),
    .package(url: "https://github.com/swift-server/async-http-client", exact: "1.37.0"),
    .package(url: "https://github.com/apple/swift-nio.git", from: "2.100.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.30.0"),
  ],
  targets: [
    .target(
      name: "RESTKitAsyncHTTPClient",
      dependencies: [
        .product(name: "RESTKit", package: "RESTKit"),
        .product(name: "Streams", package: "RESTKit"),
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
      ]),
    .testTarget(
      name: "RESTKitAsyncHTTPClientTests",
      dependencies: [
        "RESTKitAsyncHTTPClient",
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "RESTKit", package: "RESTKit"),
        .product(name: "RESTKitTesting", package: "RESTKit"),
        .product(name: "Streams", package: "RESTKit"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
