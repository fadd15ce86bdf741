"""Cases of the families that compute or branch."""


def add_all(suite):
    del suite
