#!/bin/sh
# Serves the bundled sample web on loopback and crawls it live for a topic. Needs no internet.
set -eu
cd "$(dirname "$0")/.."

log=$(mktemp)
lycosa web serve examples/sample-web --port 0 >"$log" 2>&1 &
server=$!
trap 'kill "$server" 2>/dev/null || true; rm -f "$log"' EXIT INT TERM

port=
while [ -z "$port" ]; do
    kill -0 "$server" 2>/dev/null || { cat "$log" >&2; exit 1; }
    port=$(sed -n 's|.*http://127\.0\.0\.1:\([0-9]*\).*|\1|p' "$log" | head -n 1)
    [ -n "$port" ] || sleep 0.1
done

rm -rf demo-crawl
echo 'A sample web of 300 articles is served on loopback. The topic: dinosaurs and fossils.'
echo 'The start page, about the biosphere, is some links away from them. The crawler asks one page every tenth of a second:'
echo
echo '  lycosa crawl "dinosaur fossil" http://schools.wiki.example/wp/Biosphere.html \'
echo "      --pages 100 --delay 0.1 --connect-to '*:80:127.0.0.1:$port' --out demo-crawl"
echo
lycosa crawl 'dinosaur fossil' http://schools.wiki.example/wp/Biosphere.html \
    --pages 100 --delay 0.1 --connect-to "*:80:127.0.0.1:$port" --out demo-crawl

echo
echo 'The command is .venv/bin/lycosa (or: . .venv/bin/activate). On the live internet, politely:'
echo
echo '  lycosa crawl "numerical analysis" https://en.wikipedia.org/wiki/Numerical_analysis --pages 50 --contact you@example.org'
