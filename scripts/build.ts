// Bundles src/ into dist/ with code splitting, then keeps its compiled code (warm-up.ts): the first command a
// person types is as fast as the hundredth. The output is CommonJS: it loads in two thirds of the time of
// the same code as ES modules.
import { copyFileSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { type BuildOptions, build, type Plugin } from 'rolldown';
import { buildWeb } from './build-web.ts';
import { lazyFsPromises } from './lazy-builtins.ts';
import { leanFeishuSdk } from './lean-feishu-sdk.ts';
import { leanOpenAiSdk } from './lean-openai-sdk.ts';
import { writeLibraryTypes } from './library-types.ts';
import { plainAscii } from './plain-ascii.ts';
import { createStartupChunks } from './startup-chunks.ts';
import { thirdPartyNotices } from './third-party-notices.ts';

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

/** picocolors asks process.stdout on loading whether it is a terminal, which loads every stream class; we tell it ourselves. */
const quietColors: Plugin = {
  name: 'quiet-colors',
  transform(code, id) {
    if (!/picocolors[\\/]picocolors\.js$/.test(id)) return undefined;
    const eager = '((p.stdout || {}).isTTY && env.TERM !== "dumb")';
    if (!code.includes(eager))
      throw new Error('picocolors no longer looks at process.stdout as expected: look at scripts/build.ts');
    return code.replace(eager, 'false');
  },
};

const startupChunk = createStartupChunks();

const common = {
  platform: 'node',
  external: [/bin\/ensure-node\.js$/, 'onnxruntime-web', '@huggingface/tokenizers', 'sharp'],
  transform: { target: 'node22.19', define: { __VERSION__: JSON.stringify(version) } },
  logLevel: 'warn',
  // startup-chunks.ts decides what is loaded together, so an import that is dynamic in one place only is not a mistake.
  checks: { ineffectiveDynamicImport: false, eval: false },
} satisfies BuildOptions;
const files = {
  dir: 'dist',
  format: 'cjs',
  entryFileNames: '[name].js',
  chunkFileNames: 'chunks/[name]-[hash].js',
  minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
} satisfies BuildOptions['output'];

rmSync('dist', { recursive: true, force: true });
const { output } = await build({
  ...common,
  // The worker of a local embedding model is loaded by its path; `cli.js` is `main` for a program that runs commands in a process of
  // theirs, as the end-to-end tests do.
  input: {
    index: 'src/index.ts',
    cli: 'src/cli/main.ts',
    library: 'src/library/library.ts',
    'embedding-worker': 'src/memory/embeddings/model-worker.ts',
  },
  plugins: [lazyChildProcess, lazyFsPromises, quietColors, leanFeishuSdk, leanOpenAiSdk, plainAscii],
  preserveEntrySignatures: 'allow-extension',
  output: {
    ...files,
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [
        {
          debugName: 'startup',
          name: (id, context) => startupChunk(id, (each) => context.getModuleInfo(each)?.importedIds ?? []),
        },
        {
          name: 'archive',
          test: /src[\\/](memory[\\/](open-memory|memory\.|note\.|search|slips|rank|surroundings|facts|decide-fact|weigh-facts|asks-about-past|follow-replacements|chunk|typical-tokens|analysis|embeddings[\\/](embeddings|background)|models[\\/](choice|model-name))|storage[\\/]local[\\/](archive|facts))/,
        },
      ],
    },
  },
});
// Every document starts a thread: it must not load what commands share with it.
const worker = await build({
  ...common,
  input: { 'document-worker': 'src/documents/document-worker.ts' },
  output: files,
});
// The MCP server of the browser is a program of its own, and the processes that use it start it.
const browser = await build({
  ...common,
  input: { 'browser-program': 'src/sandbox/network/browser-program.ts' },
  output: files,
});
const modules = [
  ...[...output, ...worker.output, ...browser.output].flatMap((chunk) =>
    chunk.type === 'chunk' ? chunk.moduleIds : [],
  ),
  ...(await buildWeb()),
];
writeFileSync('dist/third-party-notices.txt', thirdPartyNotices(modules));
copyFileSync('node_modules/@hyzyla/pdfium/dist/pdfium.wasm', 'dist/pdfium.wasm');
writeFileSync('dist/package.json', '{ "type": "commonjs" }\n');
writeLibraryTypes({ entry: 'src/library/library.ts', directory: 'dist/types' });

linkCommand();
await import('./warm-up.ts');

/** `npx lainclaw` finds the checkout's own command here; without it, npx would install the package to itself first. */
function linkCommand(): void {
  const link = 'node_modules/.bin/lainclaw';
  rmSync(link, { force: true });
  symlinkSync('../../bin/lainclaw.js', link);
}
