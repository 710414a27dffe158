'use strict';
// Loads dist/ with its compiled code. Node's own compile cache keeps what is compiled when a file is loaded, which is its outermost
// functions; the rest is compiled again in every process, a fifth of the time of an `ask`. Here code is kept as it is when a
// command has ended, with every function that ran:
//   dist/.compile-cache/<node>/<command>/<file>   time and size of the source, then V8's data twice
// Each command has its own, so that none reads what another needs. V8 refuses data of another V8 or of other flags, but runs
// damaged data and data of another source of the same length: so both copies must agree, and the source must be the same. Where
// that fails, the file is compiled and its code is kept again. Nothing depends on a write succeeding.
const fs = require('fs');
const path = require('path');
const vm = require('vm');

const HEADER_BYTES = 16;
const WRAPPER = ['(function (exports, require, module, __filename, __dirname) { ', '\n})'];

/** Runs `entry`, a CommonJS file, and the files that it and they require by a relative path; each once. */
function loadBundle(entry, directory, command) {
  const kept = keptCode(directory, command);
  const modules = new Map();
  const compiled = [];

  function load(file) {
    const loaded = modules.get(file);
    if (loaded) return loaded.exports;
    const module = { exports: {}, filename: file };
    modules.set(file, module);
    const folder = path.dirname(file);
    const requireFrom = (id) => (id[0] === '.' ? load(path.resolve(folder, id)) : require(id));
    compile(file).runInThisContext()(module.exports, requireFrom, module, file, folder);
    return module.exports;
  }

  function compile(file) {
    const { mtimeMs, size } = fs.statSync(file);
    const cachedData = kept.read(file, mtimeMs, size);
    const script = new vm.Script(WRAPPER[0] + fs.readFileSync(file, 'utf8') + WRAPPER[1], {
      filename: file,
      columnOffset: -WRAPPER[0].length,
      cachedData,
      importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    });
    if (!cachedData || script.cachedDataRejected) compiled.push({ file, mtimeMs, size, script });
    return script;
  }

  silenceLoaderWarning();
  load(entry);
  process.on('exit', (code) => {
    // Words that are not a command end with an error: they leave nothing behind.
    if (code === 0 && compiled.length > 0) kept.write(compiled);
  });
}

/** Node warns that the loader of `import()` in a script is experimental: nobody who runs a command can do anything about it. */
function silenceLoaderWarning() {
  const { emitWarning } = process;
  process.emitWarning = (warning, ...more) => {
    if (/^vm\.USE_MAIN_CONTEXT_DEFAULT_LOADER /.test(String(warning))) return;
    emitWarning.call(process, warning, ...more);
  };
}

function keptCode(directory, command) {
  const folder = path.join(directory, `${process.version}-${process.arch}`, command);
  return {
    read(file, mtimeMs, size) {
      try {
        const bytes = fs.readFileSync(path.join(folder, path.basename(file)));
        const isOfSource = bytes.readDoubleLE(0) === mtimeMs && bytes.readDoubleLE(8) === size;
        const middle = HEADER_BYTES + (bytes.length - HEADER_BYTES) / 2;
        const data = bytes.subarray(HEADER_BYTES, middle);
        // A sum would need a module that takes longer to load than all this saves.
        return isOfSource && data.equals(bytes.subarray(middle)) ? data : undefined;
      } catch {
        return undefined;
      }
    },
    write(compiled) {
      try {
        fs.mkdirSync(folder, { recursive: true });
        for (const { file, mtimeMs, size, script } of compiled) {
          const header = Buffer.alloc(HEADER_BYTES);
          header.writeDoubleLE(mtimeMs, 0);
          header.writeDoubleLE(size, 8);
          const data = script.createCachedData();
          const place = path.join(folder, path.basename(file));
          const temporary = `${place}.${process.pid}`;
          fs.writeFileSync(temporary, Buffer.concat([header, data, data]), { flag: 'wx', flush: true });
          fs.renameSync(temporary, place);
        }
      } catch {
        // A folder that others own, a full disk: the next start compiles again.
      }
    },
  };
}

module.exports = { loadBundle };
