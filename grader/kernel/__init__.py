"""Running untrusted code: a kernel process of its own, held to limits, asked over its own channels.
Nothing here knows an exercise or a test. `grader.kernel.session.Session` is what the judge works with.
"""
