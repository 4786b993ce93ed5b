"""What people see of a grade record: the terminal's table so far.
A report is made from the record alone; nothing in here grades.
"""
