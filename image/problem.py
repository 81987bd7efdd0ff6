"""What is wrong with the input, as a sentence that says what to do."""


class Problem(Exception):
    pass
