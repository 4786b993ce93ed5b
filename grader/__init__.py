"""The grader: what a course asks, what came in, how it is run, judged and reported.

Nothing here names an exercise; those live in public/, hidden/ and the built manifest.
"""
