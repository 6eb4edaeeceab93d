"""The tables of the database."""

from webapp.models.api_clients import ApiAnswer, ApiToken, ApiUpload, RequestCount, UploadPiece
from webapp.models.archive import Archive, BulkReread, ConfigurationMove, Exposure, File, Note, Rereading, Statement
from webapp.models.configuration import (
    ArchiveConfiguration,
    Configuration,
    Machine,
    OpenProperties,
    OperatingSystem,
    PoolConfiguration,
    Profile,
    System,
)
from webapp.models.people import AuditEntry, Block, LogEntry, SignInToken
from webapp.models.permalink import (
    Collection,
    Doi,
    FrozenSource,
    Permalink,
    PermalinkVersion,
    PublicData,
    Rendering,
    StudyFigure,
    Withdrawal,
)
from webapp.models.run import (
    CompressedValues,
    EvidenceRow,
    Measurement,
    MetricName,
    Provenance,
    Run,
    SeriesConfiguration,
    Session,
    TimeSeries,
    UnmeasuredValue,
    Workload,
)
from webapp.models.summary import (
    ConfigurationCount,
    CountBlock,
    DataVersion,
    MetricCount,
    ScopeCount,
    Summary,
    SystemCount,
)
from webapp.models.webhook import Webhook, WebhookDelivery

__all__ = [
    "ApiAnswer", "ApiToken", "ApiUpload", "Archive", "ArchiveConfiguration", "AuditEntry", "Block", "BulkReread", "Collection",
    "CompressedValues", "Configuration", "ConfigurationCount", "ConfigurationMove", "CountBlock", "DataVersion", "Doi",
    "EvidenceRow", "Exposure", "File", "FrozenSource", "LogEntry", "Machine", "Measurement", "MetricCount", "MetricName", "Note",
    "OpenProperties", "OperatingSystem", "Permalink", "PermalinkVersion", "PoolConfiguration", "Profile", "Provenance",
    "PublicData", "Rendering", "RequestCount", "Rereading", "Run", "ScopeCount", "SeriesConfiguration", "Session", "SignInToken",
    "Statement", "StudyFigure", "Summary", "System", "SystemCount", "TimeSeries", "UnmeasuredValue", "UploadPiece", "Webhook",
    "WebhookDelivery", "Withdrawal", "Workload",
]  # fmt: skip
