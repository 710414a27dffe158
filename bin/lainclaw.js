#!/usr/bin/env node
'use strict';
// The launcher: plain JavaScript that any Node can parse. Right Node → dist/index.js, with compiled code kept beside it.
var path = require('path');

var SURELY_RECENT = 24;

var isSurelyRecent = parseInt(process.versions.node, 10) >= SURELY_RECENT;
if (isSurelyRecent || require('./ensure-node.js').ensureNode()) {
  if (!isSurelyRecent) require('./ensure-node.js').silenceSqliteWarning();
  start(path.join(__dirname, '..', 'dist'));
}

function start(dist) {
  var entry = path.join(dist, 'index.js');
  var cache = path.join(dist, '.compile-cache');
  var command = /^(?:--)?([a-z]+)$/.exec(process.argv[2] || '--help');
  // Code that was compiled under other flags is of no use; Node's own cache tells them apart.
  var hasFlags = process.execArgv.length > 0 || process.env.NODE_OPTIONS || process.env.NODE_DISABLE_COMPILE_CACHE;
  try {
    if (command && !hasFlags) require('./load-bundle.js').loadBundle(entry, cache, command[1]);
    else {
      require('module').enableCompileCache(cache);
      require(entry);
    }
  } catch (error) {
    if (error.code !== 'MODULE_NOT_FOUND' && error.code !== 'ENOENT') throw error;
    process.stderr.write('lainclaw is not built yet: run "npm run build" in its folder.\n');
    process.exitCode = 1;
  }
}
