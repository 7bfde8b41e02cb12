#!/bin/sh
# Makes the image that the Dockerfile begins with, from Debian's packages and two of npm (node, npm), where no registry of
# images can be reached. Needs mmdebstrap, npm, tar, and podman or docker; as root, or as a user with subordinate ids.
#   packaging/docker/base.sh localhost/sekisho-base
#   podman build -f packaging/docker/Dockerfile --build-arg BASE=localhost/sekisho-base -t sekisho .
set -eu
name=${1:?the name of the image to make}
suite=${2:-bookworm}
engine=$(command -v podman || command -v docker)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
npm install --silent --no-audit --no-fund --prefix "$work/npm" node@24 npm@11
mkdir -p "$work/usr/local/bin" "$work/usr/local/lib/node_modules"
cp "$(readlink -f "$work/npm/node_modules/node/bin/node")" "$work/usr/local/bin/node"
cp -R "$work/npm/node_modules/npm" "$work/usr/local/lib/node_modules/npm"
for each in npm npx; do ln -s "../lib/node_modules/npm/bin/$each-cli.js" "$work/usr/local/bin/$each"; done
mmdebstrap --variant=minbase --include=ca-certificates --dpkgopt=force-unsafe-io \
  --customize-hook="tar -C '$work' -cf - usr | tar -C \"\$1\" -xf - --no-same-owner" \
  "$suite" "$work/base.tar"
"$engine" import "$work/base.tar" "$name"
