// One turn in a process of its own, with a tool that has an effect: it adds a line to `effects` in the workspace. When
// the workspace holds a file `stay`, the tool says that it has begun and never ends, so that its process can be killed.
//   node model-write-process.ts <home> <workspace> <base url> <input>
import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { createLocalStorage } from '../../src/storage/local/local-storage.ts';
import { type AppTool, createModelApp } from './model-app.ts';

export const WRITE_PROCESS = import.meta.filename;
export const BEGUN = 'the effect has begun';

if (process.argv[1] === WRITE_PROCESS) {
  const [home = '', workspace = '', baseUrl = '', input = ''] = process.argv.slice(2);
  const storage = createLocalStorage({ home, now: Date.now });
  const read: AppTool = { name: 'test.read', effect: 'read', run: () => 'alpha' };
  const app = createModelApp({ storage, provider: 'openai-compatible', baseUrl, tools: [read, writeTool(workspace)] });
  const { result } = await app.ask(input);
  process.stdout.write(`${JSON.stringify(result)}\n`);
  await storage.close();
}

function writeTool(workspace: string): AppTool {
  return {
    name: 'test.write',
    effect: 'write',
    async run() {
      appendFileSync(join(workspace, 'effects'), 'done\n');
      process.stdout.write(`${BEGUN}\n`);
      if (existsSync(join(workspace, 'stay'))) await new Promise((resolve) => setTimeout(resolve, 60_000));
      return 'written';
    },
  };
}
