#!/bin/sh
# Exim in the foreground, on the port that is given, with its files in a folder that goes away with it.
# EXIM is the program, if it is not in the usual place.
exim=${EXIM:-$(command -v exim4 || command -v exim || echo /usr/sbin/exim4)}
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d) && mkdir "$dir/files" && chmod 755 "$dir" && chmod 777 "$dir/files"
trap 'rm -rf "$dir"' EXIT
trap 'kill "$pid"' INT TERM
sed "s|DIR|$dir|" "$here/exim.conf" > "$dir/exim.conf"
"$exim" -C "$dir/exim.conf" -oX "127.0.0.1.$1" -bdf &
pid=$!
while kill -0 "$pid" 2>/dev/null; do wait "$pid"; done
