// Many chats write to a gateway that is killed again and again (`gateway-kills.ts`).

import { runGatewayKills } from '../support/gateway-kills.ts';
import { createHome } from '../support/home.ts';
import { generalProblems } from './scenario.ts';

export interface GatewayKills {
  kills: number;
  seed: number;
  chats: number;
  /** Of each chat. */
  messages: number;
}

export async function killGateway({
  kills,
  seed,
  chats,
  messages,
}: GatewayKills): Promise<{ line: string; problems: string[] }> {
  const home = createHome();
  try {
    const options = { home, chats, messages, kills, seed, lifeMs: 800, patienceMs: 120_000 };
    const { written, handledOnce, lost, repeated, outOfOrder } = await runGatewayKills(options);
    return {
      line: `${kills} kills, ${written} messages, ${handledOnce} of them answered once`,
      problems: [
        ...lost.map((id) => `${id} is lost`),
        ...repeated.map((id) => `${id} was answered twice`),
        ...outOfOrder,
        ...generalProblems(home),
      ],
    };
  } finally {
    home.remove();
  }
}
