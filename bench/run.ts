// npm run bench [-- name …] [--quick]: prints every figure with its limit. `--quick` is the self-test: each bench runs
// small and must produce figures; whether they are within limits is judged only by a full run.
import { agents } from './agents.ts';
import { api } from './api.ts';
import { archiveImport } from './archive-import.ts';
import { archiveScale } from './archive-scale.ts';
import { audit } from './audit.ts';
import type { Bench, Figure } from './bench.ts';
import { chat } from './chat.ts';
import { cluster } from './cluster.ts';
import { commandQuestions } from './command-questions.ts';
import { confinement } from './confinement.ts';
import { consoleBench } from './console.ts';
import { conversation } from './conversation.ts';
import { dialogues } from './dialogues.ts';
import { documents } from './documents.ts';
import { durability } from './durability.ts';
import { factExtraction } from './fact-extraction.ts';
import { firstToken } from './first-token.ts';
import { gatewayMessages } from './gateway-messages.ts';
import { gatewayService } from './gateway-service.ts';
import { gatewayTurns } from './gateway-turns.ts';
import { longSession } from './long-session.ts';
import { longTexts } from './long-texts.ts';
import { machine } from './machine.ts';
import { manyTurns } from './many-turns.ts';
import { memoryRecall } from './memory-recall.ts';
import { model } from './model.ts';
import { prompt } from './prompt.ts';
import { retrieval } from './retrieval.ts';
import { schedule } from './schedule.ts';
import { sessionsScale } from './sessions-scale.ts';
import { shellStep } from './shell-step.ts';
import { startup } from './startup.ts';
import { storeOverhead } from './store-overhead.ts';
import { storeScale } from './store-scale.ts';
import { technicalTexts } from './technical-texts.ts';
import { updates } from './updates.ts';
import { webPages } from './web-pages.ts';

const BENCHES: Bench[] = [
  startup,
  longSession,
  sessionsScale,
  durability,
  audit,
  confinement,
  commandQuestions,
  model,
  shellStep,
  firstToken,
  prompt,
  conversation,
  manyTurns,
  retrieval,
  longTexts,
  technicalTexts,
  updates,
  memoryRecall,
  factExtraction,
  dialogues,
  archiveScale,
  archiveImport,
  machine,
  schedule,
  gatewayMessages,
  gatewayTurns,
  cluster,
  storeOverhead,
  storeScale,
  agents,
  gatewayService,
  api,
  chat,
  webPages,
  documents,
  consoleBench,
];

const args = process.argv.slice(2);
const quick = args.includes('--quick');
const names = args.filter((argument) => !argument.startsWith('--'));
const unknown = names.filter((name) => !BENCHES.some((bench) => bench.name === name));
if (unknown.length > 0) {
  console.error(`no such bench: ${unknown.join(', ')}; there are ${BENCHES.map(({ name }) => name).join(', ')}`);
  process.exit(2);
}

let over = 0;
for (const bench of BENCHES.filter(({ name }) => names.length === 0 || names.includes(name))) {
  const figures = await bench.run(quick ? 'quick' : 'full');
  if (figures.length === 0 || figures.some(({ value }) => !Number.isFinite(value))) {
    console.error(`${bench.name}: no figure`);
    process.exit(1);
  }
  for (const figure of figures) {
    if (figure.value > figure.limit) over += 1;
    console.log(line(bench.name, figure));
  }
}
if (quick) console.log('benchmarks: self-test ok (figures of a quick run are not to be read)');
else console.log(over === 0 ? 'every figure is within its limit' : `${over} figure(s) over the limit`);

function line(bench: string, { name, value, unit, limit, detail }: Figure): string {
  const shown = Number.isInteger(value) ? String(value) : value.toFixed(2);
  const mark = quick ? ' ' : value <= limit ? '✓' : '✗';
  return `${mark} ${bench.padEnd(14)} ${name.padEnd(36)} ${shown.padStart(8)} ${unit.padEnd(20)} (limit ${limit}; ${detail})`;
}
