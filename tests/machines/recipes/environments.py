# SPDX-License-Identifier: Apache-2.0
"""Several environments: only selected ones count for the verdict, the others keep their own."""
import pyenv
from boxes import box
from recipe import F, case


def two(m, *args, **var):
    box(m, "NVIDIA A10", "570.124.06")
    pyenv.venv(m, "/opt/good").torch("2.9.0", "cu128")
    pyenv.venv(m, "/srv/app/.venv", uv=True).torch("2.9.0", "cpu")
    m.args += list(args)
    for k, v in var.items():
        m.var(k, v)


def system_site(m):
    """A venv that sees the packages below it."""
    box(m, "NVIDIA A10", "570.124.06", distro=("ubuntu", "22.04"))
    pyenv.local_packages(m).torch("2.9.0", "cu128")
    return pyenv.venv(m, system_site=True).pure("requests", "2.32.0")


CPU = F("cpu-only-build", role="primary", cells=["/srv/app/.venv|torch|0"])
CASES = [
    case("all-of-a-tree-count", two, verdict="problem", findings=[CPU], envs={"/opt/good": {"selected": True, "verdict": "ok"},
                                                                             "/srv/app/.venv": {"selected": True, "verdict": "problem"}}),
    case("the-named-one-counts", lambda m: two(m, "--env", "/opt/good"), verdict="ok", findings=[F("cpu-only-build", optional=True)],
         envs={"/opt/good": {"selected": True, "verdict": "ok"}}),
    case("the-other-named-one-counts", lambda m: two(m, "--env", "/srv/app/.venv"), verdict="problem", findings=[F("cpu-only-build", role="primary")],
         envs={"/srv/app/.venv": {"selected": True, "verdict": "problem"}}),
    case("named-by-its-python", lambda m: two(m, "--python", "/opt/good/bin/python"), verdict="ok", findings=[F("cpu-only-build", optional=True)],
         envs={"/opt/good": {"selected": True, "verdict": "ok"}}),
    case("venv-over-system-packages", system_site, verdict="ok"),
]
