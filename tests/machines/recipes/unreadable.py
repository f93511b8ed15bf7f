# SPDX-License-Identifier: Apache-2.0
"""Files that may not be read: denied is not absent."""
from boxes import ort_box, torch_box
from recipe import F, case


def locked(m, *paths, mode=0o000):
    import os
    env = torch_box(m, "2.6.0", "cu124", "NVIDIA A10", "550.90.07")
    for p in paths:
        os.chmod(m.host(p), mode)
    return env


def ort_locked(m, path, mode=0o000):
    """onnxruntime-gpu of which this part is closed."""
    import os
    env = ort_box(m, "1.26.0", driver="550.54.15")
    os.chmod(m.host("/opt/venv/lib/python3.11/site-packages/onnxruntime/" + path), mode)
    return env


def looped(m, path):
    """A library that is a link to itself: the loader fails."""
    import os
    env = torch_box(m, "2.6.0", "cu124", "NVIDIA A10", "550.90.07")
    os.unlink(m.host(path))
    os.symlink(os.path.basename(path), m.host(path))
    return env


def crowded(m, n):
    """More neighbours than are looked through, before the environment in order."""
    import os
    env = torch_box(m, "2.6.0", "cu124", "NVIDIA A10", "550.90.07")
    for i in range(n):
        os.mkdir(m.host("/opt/e%05d" % i))
    return env


def bare(m):
    """A directory that is no system at all."""
    import os
    os.makedirs(m.root, exist_ok=True)
    with open(os.path.join(m.root, "notes.txt"), "w") as f:
        f.write("nothing\n")


def no_guess(doc):
    ids = {f["id"] for f in doc["findings"]} | {f.get("parent") for f in doc["findings"]}
    for fid in ("driver-missing", "driver-not-loaded", "driver-library-mismatch"):
        if fid in ids:
            yield "%s is guessed from a file that may not be read" % fid


VERSION = ("/proc/driver/nvidia/version", "/sys/module/nvidia/version")
CASES = [
    case("module-version", lambda m: locked(m, *VERSION), user="nobody", verdict="cannot-tell", check=no_guess,
         not_evaluated=["driver-library-mismatch"], machine={"driver": {"module": None}}),
    case("module-directory", lambda m: locked(m, "/proc/driver/nvidia", "/sys/module/nvidia"), user="nobody", verdict="cannot-tell", check=no_guess,
         not_evaluated=["driver-library-mismatch"]),
    case("torch-directory", lambda m: locked(m, "/opt/venv/lib/python3.11/site-packages/torch"), user="nobody", verdict="cannot-tell"),
    case("site-packages", lambda m: locked(m, "/opt/venv/lib/python3.11/site-packages"), user="nobody", check=no_guess, verdict="cannot-tell"),
    case("torch-library-directory", lambda m: locked(m, "/opt/venv/lib/python3.11/site-packages/torch/lib"), user="nobody", verdict="cannot-tell"),
    case("onnxruntime-library-directory", lambda m: ort_locked(m, "capi"), user="nobody", verdict="cannot-tell"),
    case("twin-onnxruntime-may-be-read", lambda m: ort_locked(m, "capi", 0o755), user="nobody", verdict="ok", minor=True),
    case("cudnn-directory", lambda m: locked(m, "/opt/venv/lib/python3.11/site-packages/nvidia/cudnn/lib"), user="nobody", verdict="cannot-tell"),
    case("cudnn-file", lambda m: locked(m, "/opt/venv/lib/python3.11/site-packages/nvidia/cudnn/lib/libcudnn.so.9"), user="nobody",
         verdict="cannot-tell"),
    case("torch-library", lambda m: locked(m, "/opt/venv/lib/python3.11/site-packages/torch/lib/libtorch_cuda.so"), user="nobody",
         verdict="cannot-tell"),
    case("cudnn-links-to-itself", lambda m: looped(m, "/opt/venv/lib/python3.11/site-packages/nvidia/cudnn/lib/libcudnn.so.9"),
         findings=[F("library-missing", role="primary", soname="libcudnn.so.9")]),
    case("closed-parent", lambda m: locked(m, "/opt"), user="nobody", verdict="cannot-tell"),
    case("crowded-parent", lambda m: crowded(m, 1100), verdict="cannot-tell"),
    case("twin-few-neighbours", lambda m: crowded(m, 20), verdict="ok"),
    case("no-system", bare, verdict="cannot-tell"),
    case("twin-all-may-be-read", locked, user="nobody", verdict="ok"),
]
