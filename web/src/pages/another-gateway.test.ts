import { describe, expect, it } from 'vitest';
import { anotherGateway, type WaitDependencies } from './another-gateway.ts';

type Status = Awaited<ReturnType<WaitDependencies['status']>>;

const running = (pid: number, phase = 'running'): Status => ({ status: 'running', pid, phase }) as unknown as Status;

/** Each look takes its answer from `answers`; the last one is repeated. */
function wait(answers: readonly (Status | Error)[]): Promise<void> {
  let time = 0;
  let looks = 0;
  return anotherGateway(1, {
    async status() {
      const answer = answers[Math.min(looks, answers.length - 1)];
      looks += 1;
      if (looks > 1000) throw new Error('it never stops looking');
      if (answer instanceof Error) throw answer;
      return answer as Status;
    },
    now: () => time,
    async sleep(ms) {
      time += ms;
    },
  });
}

describe('waiting for another gateway', () => {
  it('ends when another process runs', async () => {
    await wait([running(1), new Error('away'), running(2, 'starting'), running(2)]);
  });

  it('ends after a while although the old one still answers', async () => {
    await expect(wait([running(1)])).rejects.toThrow('the gateway did not restart within 90 s');
  });

  it('ends after a while with the failure where nobody answers', async () => {
    await expect(wait([new Error('away')])).rejects.toThrow('away');
  });
});
