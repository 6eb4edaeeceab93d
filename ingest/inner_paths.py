"""Paths inside an archive: what is made of their spelling, and which of them are passed over."""
from __future__ import annotations

_TWINS = {".DS_Store", "Thumbs.db", "desktop.ini"}


def judge(name: str, longest: int) -> tuple[str, str | None]:
    """The path inside the archive, and why the entry is passed over, if it is. `longest`: characters that a path may have."""
    path = name.encode("utf-8", "surrogateescape").decode("utf-8", "replace").replace("\\", "/").replace("\0", "")
    parts = [part for part in path.split("/") if part not in ("", ".")]
    inner = "/".join(parts) or "?"
    if len(path) > longest:
        return inner[: longest], "a path that is too long"
    if ".." in parts or path.startswith("/") or (parts and len(parts[0]) == 2 and parts[0][1] == ":"):
        return inner, "a path that leaves the archive"
    if is_twin(inner):
        return inner, "a twin file that the system made"
    return inner, None


def is_twin(path: str) -> bool:
    """Whether a system left the file beside others of its own accord."""
    parts = path.split("/")
    return parts[-1].startswith("._") or parts[-1] in _TWINS or "__MACOSX" in parts


def without_suffix(name: str) -> str:
    """What a compressed file is called once it is unpacked."""
    base, dot, suffix = name.rpartition(".")
    return base if dot and suffix.lower() in ("gz", "bz2", "xz", "zst", "zstd") and base else name
