// Bundles src/ into dist/ with code splitting, then starts the program so that Node's compile cache is warm: the first
// command a person types is as fast as the hundredth. The output is CommonJS: it loads in two thirds of the time of
// the same code as ES modules.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, type Plugin } from 'rolldown';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

/** commander loads child_process for a feature we do not use; as a getter it costs nothing (3 ms otherwise). */
const lazyChildProcess: Plugin = {
  name: 'lazy-child-process',
  transform(code, id) {
    if (!/commander[\\/]lib[\\/]command\.js$/.test(id)) return undefined;
    const eager = "const childProcess = require('node:child_process');";
    if (!code.includes(eager))
      throw new Error('commander no longer loads child_process as expected: look at scripts/build.ts');
    return code.replace(
      eager,
      "const childProcess = { spawn: (...args) => require('node:child_process').spawn(...args) };",
    );
  },
};

rmSync('dist', { recursive: true, force: true });
await build({
  input: { index: 'src/index.ts' },
  platform: 'node',
  external: [/bin\/ensure-node\.js$/],
  plugins: [lazyChildProcess],
  transform: { target: 'node22.19', define: { __VERSION__: JSON.stringify(version) } },
  logLevel: 'warn',
  output: {
    dir: 'dist',
    format: 'cjs',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
  },
});
writeFileSync('dist/package.json', '{ "type": "commonjs" }\n');

const home = mkdtempSync(join(tmpdir(), 'lainclaw-build-'));
try {
  const warmUps = [
    ['--version'],
    ['--help'],
    ['tools', 'list'],
    ['ask', 'hello'],
    ['tools', 'invoke', 'time.now'],
    ['sessions', 'list'],
  ];
  for (const args of warmUps) {
    execFileSync(process.execPath, ['bin/lainclaw.js', ...args], {
      stdio: 'ignore',
      env: { ...process.env, LAINCLAW_HOME: home },
    });
  }
} finally {
  rmSync(home, { recursive: true });
}
