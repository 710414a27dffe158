#!/usr/bin/env node
'use strict';
// The launcher: plain JavaScript that any Node can parse. Right Node → dist/index.js, with compiled code kept beside it.
var path = require('path');

if (require('./ensure-node.js').ensureNode()) {
  require('module').enableCompileCache(path.join(__dirname, '..', 'dist', '.compile-cache'));
  var entry = path.join(__dirname, '..', 'dist', 'index.js');
  if (require('fs').existsSync(entry)) {
    require(entry);
  } else {
    process.stderr.write('lainclaw is not built yet: run "npm run build" in its folder.\n');
    process.exitCode = 1;
  }
}
