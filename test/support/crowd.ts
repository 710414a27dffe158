// The crowd: many processes ask at the same moment, on one session or each on its own, and every turn must be there,
// whole, afterwards.
import type { Home } from './home.ts';
import { homeProblems } from './kill-harness.ts';
import { runBinary } from './lainclaw.ts';
import type { AcknowledgedTurn } from './transcript-rules.ts';

export interface CrowdOptions {
  home: Home;
  processes: number;
  /** All on one session key, or each on a key of its own. */
  sameKey: boolean;
  /** What a member asks; it must differ from what the others ask. */
  input?: (member: number) => string;
}

export interface CrowdReport {
  acknowledged: AcknowledgedTurn[];
  /** Keys the index holds afterwards. */
  indexed: string[];
  /** How many members said that they were waiting for another turn. */
  waited: number;
  problems: string[];
}

export async function runCrowd({ home, processes, sameKey, input = question }: CrowdOptions): Promise<CrowdReport> {
  const acknowledged: AcknowledgedTurn[] = [];
  const problems: string[] = [];
  let waited = 0;
  const members = Array.from({ length: processes }, async (_, member) => {
    const sessionKey = sameKey ? 'crowd' : `crowd-${member}`;
    const asked = input(member);
    const finished = await runBinary(['ask', '--session', sessionKey, '--', asked], { home });
    if (finished.stderr.includes('waiting')) waited += 1;
    if (finished.code !== 0) {
      problems.push(
        `member ${member} ended with ${finished.code ?? finished.signal}: ${finished.stderr.slice(0, 500)}`,
      );
      return;
    }
    const { sessionId, result, toolError } = finished.json();
    if (toolError) problems.push(`member ${member}'s tool failed: ${toolError.message}`);
    acknowledged.push({ sessionKey, sessionId, input: asked, result });
  });
  await Promise.all(members);
  problems.push(...homeProblems(home, acknowledged, { settled: true, inOrder: false }));
  return { acknowledged, indexed: Object.keys(home.index().sessions), waited, problems };
}

function question(member: number): string {
  return `the question of member ${member}`;
}
