// node machine-gigabyte-worker.ts <directory> <bytes>: so much output through bash, and how far memory rose meanwhile.
import { readFileSync, writeFileSync } from 'node:fs';
import { createBed } from './machine-tools.ts';

const [base = '', bytes = '0'] = process.argv.slice(2);
const bed = await createBed(base);
// Everything loaded, every buffer made once.
await bed.call(bed.bash, { command: 'head -c 1000000 /dev/zero' });
const idle = kilobytes('VmRSS');
// The peak is counted again from here.
writeFileSync('/proc/self/clear_refs', '5');
const started = performance.now();
const output = await bed.call(bed.bash, { command: `head -c ${bytes} /dev/zero | tr '\\0' x`, timeoutMs: 120_000 });
const seconds = (performance.now() - started) / 1000;
const ended = 'failed' in output ? output.failed : 'itself';
console.log(JSON.stringify({ overMb: (kilobytes('VmHWM') - idle) / 1024, ended, seconds }));

function kilobytes(name: string): number {
  const status = readFileSync('/proc/self/status', 'utf8');
  return Number(new RegExp(`^${name}:\\s*(\\d+)`, 'm').exec(status)?.[1]);
}
