import RESTKit

/// The namespace of what an identity API knows of a person.
public enum User {}
