"""A course on disk: its settings, its folders, and (read when first asked for) its manifest."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated

import msgspec

from grader.course.errors import CourseError, shown
from grader.course.manifest import Manifest, parse_manifest

_Positive = Annotated[float, msgspec.Meta(gt=0)]
_Percent = Annotated[float, msgspec.Meta(ge=0, le=100)]


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How long learner code may take (seconds), and how many kernels one notebook may use up."""

    cell_seconds: _Positive = 20
    call_seconds: _Positive = 5
    notebook_seconds: _Positive = 300
    sweep_seconds: _Positive = 60
    startup_seconds: _Positive = 60
    max_restarts: Annotated[int, msgspec.Meta(ge=0)] = 5


class Late(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What lateness costs: nothing within the grace, then a share for each day begun, up to a ceiling."""

    grace_minutes: Annotated[float, msgspec.Meta(ge=0)] = 0
    percent_per_day: _Percent = 0
    most_percent: _Percent = 100


class _Predictions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    points: _Positive = 1


class _Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: Annotated[str, msgspec.Meta(min_length=1)]
    version: Annotated[str, msgspec.Meta(min_length=1)]
    limits: Limits = Limits()
    late: Late = Late()
    predictions: _Predictions = _Predictions()


@dataclass(frozen=True)
class Course:
    """One course: `root` holds course.toml, manifest.json, public/ and hidden/; its siblings the rest."""

    root: Path
    name: str
    version: str
    limits: Limits
    late: Late
    prediction_points: float

    @classmethod
    def load(cls, root: Path | None = None) -> Course:
        """Read `root`/course.toml; `root` is the folder of this grader unless given. Raises CourseError."""
        root = Path(root).resolve() if root is not None else Path(__file__).resolve().parents[1]
        settings = _read_settings(root / "course.toml")
        return cls(
            root=root,
            name=settings.name,
            version=settings.version,
            limits=settings.limits,
            late=settings.late,
            prediction_points=settings.predictions.points,
        )

    @property
    def base(self) -> Path:
        """The folder that holds `root` and its siblings; paths in messages are relative to it."""
        return self.root.parent

    @property
    def public_dir(self) -> Path:
        """Tests that a learner may read."""
        return self.root / "public"

    @property
    def hidden_dir(self) -> Path:
        """Tests that a class bundle may leave out."""
        return self.root / "hidden"

    @property
    def manifest_path(self) -> Path:
        """Where `grader build` puts the manifest."""
        return self.root / "manifest.json"

    @property
    def notebooks_dir(self) -> Path:
        """What learners open."""
        return self.base / "notebooks"

    @property
    def solutions_dir(self) -> Path:
        """The sources of the notebooks, and the solved notebooks."""
        return self.base / "solutions"

    @property
    def library_dir(self) -> Path:
        """The library that the notebooks import."""
        return self.base / "course_lib"

    @cached_property
    def manifest(self) -> Manifest:
        """What is asked, as last built. Raises CourseError when it was never built or is not a manifest."""
        where = shown(self.manifest_path, self.base)
        try:
            data = self.manifest_path.read_bytes()
        except OSError as error:
            reason = "missing" if isinstance(error, FileNotFoundError) else f"cannot be read ({error.strerror})"
            raise CourseError(f"{where}: {reason}. Run `grader build`.") from None
        return parse_manifest(data, where)


def _read_settings(path: Path) -> _Settings:
    where = shown(path, path.parent.parent)
    try:
        return msgspec.convert(tomllib.loads(path.read_text("utf-8")), _Settings)
    except FileNotFoundError:
        raise CourseError(f"{where}: missing. A course needs this file with its name and version.") from None
    except OSError as error:
        raise CourseError(f"{where}: cannot be read ({error.strerror}).") from None
    except UnicodeDecodeError:
        raise CourseError(f"{where}: not UTF-8 text. Save it as UTF-8.") from None
    except tomllib.TOMLDecodeError as error:
        raise CourseError(f"{where}: not TOML: {error}. Correct that line.") from None
    except msgspec.ValidationError as error:
        raise CourseError(f"{where}: {error}. Correct that setting.") from None
