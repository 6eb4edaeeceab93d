"""The tables of the database."""

from webapp.models.archive import Archive, File, Note
from webapp.models.compressed_values import CompressedValues
from webapp.models.configuration import Configuration, Machine, OpenProperties, OperatingSystem, PoolConfiguration, System
from webapp.models.exposure import Exposure
from webapp.models.measurement import Measurement, MetricName, UnmeasuredValue
from webapp.models.permalink import Collection, Doi, FrozenSource, Permalink, PermalinkVersion, Rendering
from webapp.models.profile import ArchiveConfiguration, Profile
from webapp.models.public_data import PublicData
from webapp.models.public_log import LogEntry
from webapp.models.rereading import BulkReread, ConfigurationMove, Rereading
from webapp.models.run import EvidenceRow, Provenance, Run, Session
from webapp.models.series import SeriesConfiguration, TimeSeries
from webapp.models.staff import AuditEntry, Block
from webapp.models.statement import Statement
from webapp.models.study import StudyFigure
from webapp.models.summary import (
    ConfigurationCount,
    CountBlock,
    DataVersion,
    DimensionBlock,
    MetricCount,
    ScopeCount,
    Summary,
    SystemCount,
)
from webapp.models.token import SignInToken
from webapp.models.withdrawal import Withdrawal
from webapp.models.workload import Workload

__all__ = [
    "Archive",
    "ArchiveConfiguration",
    "AuditEntry",
    "Block",
    "BulkReread",
    "Collection",
    "CompressedValues",
    "Configuration",
    "ConfigurationCount",
    "ConfigurationMove",
    "CountBlock",
    "DataVersion",
    "DimensionBlock",
    "Doi",
    "EvidenceRow",
    "Exposure",
    "File",
    "FrozenSource",
    "LogEntry",
    "Machine",
    "Measurement",
    "MetricCount",
    "MetricName",
    "Note",
    "OpenProperties",
    "OperatingSystem",
    "Permalink",
    "PermalinkVersion",
    "PoolConfiguration",
    "Profile",
    "Provenance",
    "PublicData",
    "Rendering",
    "Rereading",
    "Run",
    "ScopeCount",
    "SeriesConfiguration",
    "Session",
    "SignInToken",
    "Statement",
    "StudyFigure",
    "Summary",
    "System",
    "SystemCount",
    "TimeSeries",
    "UnmeasuredValue",
    "Withdrawal",
    "Workload",
]
