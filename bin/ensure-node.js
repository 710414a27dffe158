'use strict';
// Decides whether this Node can run Lainclaw. Written for any Node: nothing newer than ES5 syntax.
// Old Node: the same command is run again on the Node that npm installed beside us, or one line says what to install.
var path = require('path');

var MINIMUM = [22, 19];

function isRecent(version) {
  var parts = version.split('.').map(Number);
  return parts[0] > MINIMUM[0] || (parts[0] === MINIMUM[0] && parts[1] >= MINIMUM[1]);
}

function bundledNode() {
  try {
    var file = path.join(
      path.dirname(require.resolve('node/package.json')),
      'bin',
      process.platform === 'win32' ? 'node.exe' : 'node',
    );
    require('fs').accessSync(file);
    return file;
  } catch (_error) {
    return undefined;
  }
}

/** True when the caller may continue. False: the command has been handed to another Node, or refused (exit code set). */
function ensureNode() {
  if (isRecent(process.versions.node)) return true;
  var other = process.env.LAINCLAW_REEXECUTED ? undefined : bundledNode();
  if (!other) {
    process.stderr.write(
      'lainclaw needs Node ' +
        MINIMUM.join('.') +
        ' or newer (this is ' +
        process.versions.node +
        '): install it from your package manager or with "npm install -g node@24".\n',
    );
    process.exitCode = 1;
    return false;
  }
  var environment = Object.assign({}, process.env, { LAINCLAW_REEXECUTED: '1' });
  var child = require('child_process').spawn(other, process.execArgv.concat(process.argv.slice(1)), {
    stdio: 'inherit',
    env: environment,
  });
  // A terminal sends Ctrl-C to both processes: the child decides, we only report its ending.
  ['SIGINT', 'SIGTERM', 'SIGHUP'].forEach(function (signal) {
    process.on(signal, function () {
      if (signal !== 'SIGINT') child.kill(signal);
    });
  });
  child.on('error', function (error) {
    process.stderr.write('lainclaw could not start ' + other + ': ' + error.message + '\n');
    process.exitCode = 1;
  });
  child.on('exit', function (code, signal) {
    process.exitCode = code === null ? 128 + (require('os').constants.signals[signal] || 0) : code;
  });
  return false;
}

/** Node 22 prints a warning of its own whenever SQLite is loaded. Every other warning is printed as before. */
function silenceSqliteWarning() {
  var emitWarning = process.emitWarning;
  process.emitWarning = function (warning, type) {
    if (type === 'ExperimentalWarning' && /^SQLite /.test(String(warning))) return;
    emitWarning.apply(process, arguments);
  };
}

module.exports = { ensureNode: ensureNode, silenceSqliteWarning: silenceSqliteWarning };
