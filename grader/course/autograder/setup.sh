#!/bin/sh
# Gradescope runs this once, as root, when it builds the image: Python 3.11 or newer, and Etude in an environment of its own.
set -eu
umask 022 # the sandbox runs as the user nobody, and has to read Python and NumPy
root=${AUTOGRADER_ROOT:-/autograder}
venv=${ETUDE_VENV:-/opt/etude}

find_python() {
    for python in python3.14 python3.13 python3.12 python3.11 python3; do
        if "$python" -I -c 'import ensurepip, sys; sys.exit(sys.version_info < (3, 11))' 2> /dev/null; then
            echo "$python"
            return
        fi
    done
    return 1
}

install_python() {
    export DEBIAN_FRONTEND=noninteractive
    apt-get -qq update
    for minor in 14 13 12 11; do
        apt-get -qq -y install --no-install-recommends "python3.$minor" "python3.$minor-venv" && return
    done
}

if [ ! -x "$venv/bin/python" ]; then
    find_python > /dev/null || install_python
    "$(find_python)" -I -m venv "$venv"
fi
cd "$root/source"
"$venv/bin/python" -I -m pip install --disable-pip-version-check --quiet --requirement requirements.txt
"$venv/bin/etude" packages install --exercises exercises
chmod -R go= . # hidden tests and solutions; the sandbox could not open them anyway
"$venv/bin/etude" doctor --exercises exercises || echo "setup.sh: no sandbox works while the image is built; without one nothing is graded" >&2
