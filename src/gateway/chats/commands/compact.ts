import type { CompactReport } from '../../../pipeline/inspect-conversation.ts';
import { turnSettings } from '../choices.ts';
import type { ChatCommand } from './command.ts';

export const compactCommand: ChatCommand = {
  name: 'compact',
  usage: '/compact [what to keep]',
  about: 'summarise the older part of the conversation now',
  isForOwner: true,
  // A second time there is nothing left to summarise.
  isRepeatable: true,
  isImmediate: false,
  async run({ settings, choices, conversations, sessionKey, argument, request: { chat }, signal }) {
    const turn = turnSettings(await settings(chat), await choices.get(chat));
    const asked = { ...turn, input: '', attachments: [], sessionKey, newSession: false };
    return written(await conversations.compact({ ...asked, ...(argument !== '' && { keep: argument }) }, signal));
  },
};

function written(report: CompactReport): string {
  switch (report.kind) {
    case 'nothing':
      return `There is nothing to summarise: the last 12 messages always stay as they are, and there are ${report.messageCount}.`;
    case 'refused':
      return `Nothing was summarised: ${report.reason}.`;
    case 'compacted': {
      const { notice, tokensBefore, tokensAfter } = report;
      const [before, after] = [tokensBefore, tokensAfter].map((count) => count.toLocaleString('en-US'));
      return `${notice.charAt(0).toUpperCase()}${notice.slice(1)}. The history has about ${after} tokens instead of ${before}.`;
    }
  }
}
