"""Running untrusted code: a kernel process of its own, held to limits; cells go over Jupyter's channels, calls over a
line of their own. Nothing here knows an exercise or a test; `grader.kernel.session.Session` is what the judge uses.
"""
