# SPDX-License-Identifier: Apache-2.0
"""The program where every user can start it."""
import os
import shutil


def for_everybody(cuvet, directory):
    """A copy in directory, which everybody may enter: a checkout below /root is closed to the users that tests become."""
    out = os.path.join(directory, "cuvet")
    shutil.copyfile(cuvet, out)
    os.chmod(out, 0o755)
    return out
