#!/usr/bin/env node
'use strict';
// The launcher: plain JavaScript that any Node can parse. Right Node → dist/index.js, with compiled code kept beside it.
var path = require('path');

var SURELY_RECENT = 24;

var isSurelyRecent = parseInt(process.versions.node, 10) >= SURELY_RECENT;
if (isSurelyRecent || require('./ensure-node.js').ensureNode()) {
  if (!isSurelyRecent) require('./ensure-node.js').silenceSqliteWarning();
  require('module').enableCompileCache(path.join(__dirname, '..', 'dist', '.compile-cache'));
  try {
    require('../dist/index.js');
  } catch (error) {
    if (error.code !== 'MODULE_NOT_FOUND') throw error;
    process.stderr.write('lainclaw is not built yet: run "npm run build" in its folder.\n');
    process.exitCode = 1;
  }
}
