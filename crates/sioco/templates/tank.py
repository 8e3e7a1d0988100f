"""A water tank: the system under test. Yours takes its place."""

SIZE = 100


class Tank:
    def __init__(self):
        self.content = 0

    def fill(self, litres):
        """Whether there was room."""
        if self.content + litres > SIZE:
            return False
        self.content += litres
        return True

    def drain(self, litres):
        """Whether there was enough."""
        # if litres == self.content: return False  # A mistake: without the first `#`, the tests find it.
        if litres > self.content:
            return False
        self.content -= litres
        return True
