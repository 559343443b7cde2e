"""The meaning of MongoDB's error codes: a fault of the document, a fault of the set-up, or a transient error.

The table decides how pindna reacts. Only after an error about a document does pindna give up that document. A
transient error is retried. A code that is not in the table counts as transient, because pindna must not lose
a page to a fault of the server.

Sources: ``src/mongo/base/error_codes.yml`` of MongoDB 8 for names and categories (``RetriableError``,
``NetworkError``, ``Interruption``, ``ExceededTimeLimitError``, ``WriteConcernError``, ``NotPrimaryError`` …),
the driver specification "Retryable Writes" for labels, and for 17419 and 17420, which have no name there,
``src/mongo/db/update/``.
"""

from collections.abc import Collection, Mapping
from typing import Literal, get_args

ErrorClass = Literal[
    "login",  # the server does not accept user and password
    "right",  # the user lacks the right to execute the request
    "set-up",  # the request does not fit the server or the database; repeating it does not help
    "disk",  # the server cannot write to its disk
    "not-ready",  # no primary, or the server shuts down; the driver searches for another one
    "majority",  # the server executed the write, but a majority of the replica set does not confirm it
    "passing",  # a retry may succeed
    "document",  # the server will never accept this document; it still accepts other documents
    "conflict",  # a document with that key exists
]

# Codes by class, with the names that MongoDB gives them.
CODES: Mapping[ErrorClass, Mapping[int, str]] = {
    "login": {11: "UserNotFound", 18: "AuthenticationFailed", 8000: "AtlasError"},
    "right": {13: "Unauthorized"},
    "set-up": {
        2: "BadValue",
        9: "FailedToParse",
        14: "TypeMismatch",
        20: "IllegalOperation",
        26: "NamespaceNotFound",
        27: "IndexNotFound",
        48: "NamespaceExists",
        59: "CommandNotFound",
        67: "CannotCreateIndex",
        72: "InvalidOptions",
        73: "InvalidNamespace",
        79: "UnknownReplWriteConcern",
        85: "IndexOptionsConflict",
        86: "IndexKeySpecsConflict",
        115: "CommandNotSupported",
        123: "NotAReplicaSet",
        148: "ReadConcernMajorityNotEnabled",
        166: "CommandNotSupportedOnView",
        168: "InvalidPipelineOperator",
        197: "InvalidIndexSpecificationOption",
        224: "QueryFeatureNotAllowed",
        263: "OperationNotSupportedInTransaction",
        292: "QueryExceededMemoryLimitNoDiskUseAllowed",
        322: "APIVersionError",
        323: "APIStrictError",
        324: "APIDeprecationError",
        40324: "unknown stage of a pipeline",
        40413: "IDLDuplicateField",
        40414: "IDLFailedToParse",
        40415: "IDLUnknownField",
    },
    "disk": {14031: "OutOfDiskSpace"},
    "not-ready": {
        91: "ShutdownInProgress",
        189: "PrimarySteppedDown",
        10058: "LegacyNotPrimary",
        10107: "NotWritablePrimary",
        11600: "InterruptedAtShutdown",
        11602: "InterruptedDueToReplStateChange",
        13435: "NotPrimaryNoSecondaryOk",
        13436: "NotPrimaryOrSecondary",
    },
    "majority": {64: "WriteConcernTimeout", 75: "WriteConcernLegacyOK", 100: "UnsatisfiableWriteConcern"},
    "passing": {
        6: "HostUnreachable",
        7: "HostNotFound",
        24: "LockTimeout",
        43: "CursorNotFound",
        46: "LockBusy",
        50: "MaxTimeMSExpired",
        89: "NetworkTimeout",
        112: "WriteConflict",
        133: "FailedToSatisfyReadPreference",
        134: "ReadConcernMajorityNotAvailableYet",
        175: "QueryPlanKilled",
        202: "NetworkInterfaceExceededTimeLimit",
        237: "CursorKilled",
        246: "SnapshotUnavailable",
        262: "ExceededTimeLimit",
        290: "TransactionExceededLifetimeLimitSeconds",
        317: "ConnectionPoolExpired",
        365: "TemporarilyUnavailable",
        371: "UserWritesBlocked",
        384: "ConnectionError",
        402: "ResourceExhausted",
        407: "PooledConnectionAcquisitionExceededTimeLimit",
        433: "AdmissionQueueOverflow",
        449: "RateLimitExceeded",
        450: "PooledConnectionAcquisitionRejected",
        462: "IngressRequestRateLimitExceeded",
        9001: "SocketException",
        11601: "Interrupted",
        13388: "StaleConfig",
        91331: "RetriableRemoteCommandFailure",
    },
    "document": {
        15: "Overflow",
        16: "InvalidLength",
        22: "InvalidBSON",
        28: "PathNotViable",
        34: "CannotBackfillArray",
        52: "DollarPrefixedFieldName",
        53: "InvalidIdField",
        54: "NotSingleValueField",
        55: "InvalidDBRef",
        56: "EmptyFieldName",
        57: "DottedFieldName",
        66: "ImmutableField",
        111: "NotExactValueField",
        116: "DocTooLargeForCapped",
        121: "DocumentValidationFailure",
        171: "CannotIndexParallelArrays",
        201: "CannotBuildIndexKeys",
        357: "InvalidBSONType",
        378: "NonConformantBSON",
        10334: "BSONObjectTooLarge",
        17280: "KeyTooLong",
        17419: "document too large after an update",
        17420: "document too large to upsert",
    },
    "conflict": {11000: "DuplicateKey", 11001: "DuplicateKey", 12582: "DuplicateKey"},
}

# If there are several errors, the first of these classes counts. Errors of the server come before errors of
# documents, because documents can only be judged when the server works.
PRECEDENCE: tuple[ErrorClass, ...] = get_args(ErrorClass)

# A write may have succeeded in spite of these errors, which a router (mongos) passes on.
_UNCERTAIN = frozenset({6, 7, 89, 202, 317, 384, 9001, 91331})

_BAD_VALUE = 2
# MongoDB answers an insert of more than 16 MB with BadValue, which otherwise means a wrong request: "object
# to insert too large. size in bytes: …, max size: …" (src/mongo/db/ops/insert.cpp).
_SIZE = "too large"

# Labels with which a server or the driver marks errors after which a retry may succeed.
_RETRY_LABELS = frozenset(
    {"RetryableWriteError", "RetryableError", "SystemOverloadedError", "TransientTransactionError"}
)
_NOTHING_WRITTEN = "NoWritesPerformed"

_CLASS_OF: Mapping[int, ErrorClass] = {code: name for name, codes in CODES.items() for code in codes}


def class_of(code: int | None, message: str = "", labels: Collection[str] = ()) -> ErrorClass:
    """Return the class of an error.

    Args:
        code: the server's code; None: none.
        message: the server's English message.
        labels: labels of the server or the driver.
    """
    if code == _BAD_VALUE and _SIZE in message:
        return "document"
    kind: ErrorClass = _CLASS_OF.get(code or 0, "passing")
    return "passing" if kind == "set-up" and not _RETRY_LABELS.isdisjoint(labels) else kind


def wrote_nothing(code: int | None, labels: Collection[str] = ()) -> bool:
    """Return whether a write that failed with this error certainly changed nothing."""
    return code not in _UNCERTAIN or _NOTHING_WRITTEN in labels
