/// What an engine measures is what a caller is told; the version of HTTP is added from the response.
typealias EngineTimings = ExchangeMetrics
