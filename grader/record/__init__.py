"""The grade record: what grading one submission came to, as data with a schema.
Everything that a person or another program sees of a grade is made from it.
"""

from grader.record.record import (
    SCHEMA,
    CourseId,
    ExerciseRecord,
    GradeRecord,
    Isolation,
    NotebookRecord,
    PredictionRecord,
    SubmissionId,
    TestRecord,
    isolation_of,
    schema,
)

__all__ = [
    "SCHEMA",
    "CourseId",
    "ExerciseRecord",
    "GradeRecord",
    "Isolation",
    "NotebookRecord",
    "PredictionRecord",
    "SubmissionId",
    "TestRecord",
    "isolation_of",
    "schema",
]
