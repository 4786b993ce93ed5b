"""What is asked: the course's settings (course.toml) and its built manifest (manifest.json).

Start with `Course.load()`; every mistake of an author arrives as a one-line `CourseError`.
"""

from grader.course.course import Course, Late, Limits
from grader.course.digest import digest, digest_of_run
from grader.course.errors import CourseError, shown
from grader.course.manifest import (
    CourseFacts,
    ExerciseFacts,
    Manifest,
    NotebookFacts,
    PredictionFacts,
    TestFacts,
    Visibility,
    dump_manifest,
    parse_manifest,
)

__all__ = [
    "Course",
    "CourseError",
    "CourseFacts",
    "ExerciseFacts",
    "Late",
    "Limits",
    "Manifest",
    "NotebookFacts",
    "PredictionFacts",
    "TestFacts",
    "Visibility",
    "digest",
    "digest_of_run",
    "dump_manifest",
    "parse_manifest",
    "shown",
]
