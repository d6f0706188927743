import RESTKit

/// The namespace of an identity API's data about a person.
public enum User {}
