#!/usr/bin/env bash
# build.sh PYTHON DIR: compile cell.cc against the ns3 package of that Python, into DIR/cell.
# The package (a wheel from PyPI) has ns-3's headers in ns3/include and its libraries in ns3/lib64.
set -euo pipefail
python=$1 out=$2
here=$(cd "$(dirname "$0")" && pwd)

root=$("$python" -c 'import importlib.util as u; s = u.find_spec("ns3"); print(s.submodule_search_locations[0] if s else "")')
[ -n "$root" ] || { echo "build.sh: $python has no package ns3: pip install ns3" >&2; exit 2; }
core=$(basename "$(ls "$root"/lib64/libns3*-core.so)")
prefix=${core#lib} prefix=${prefix%core.so} # such as ns3.44-

# Besides the modules that cell.cc names, those that these need.
libraries=()
for library in "$root"/lib64/lib"$prefix"{applications,antenna,bridge,core,energy,internet,mobility,network,point-to-point,propagation,spectrum,stats,traffic-control,wifi}.so; do
    libraries+=("$library")
done

# The definitions are those that the wheel was built with: some of its templates depend on them.
mkdir -p "$out"
g++ -std=c++20 -O3 -DNDEBUG -DNS3_BUILD_PROFILE_RELEASE -DNS3_LOG_ENABLE -DNS3_ASSERT_ENABLE \
    -I"$root/include" "$here/cell.cc" -o "$out/cell" \
    "${libraries[@]}" -Wl,-rpath,"$root/lib64" -Wl,-rpath-link,"$root/lib64"
