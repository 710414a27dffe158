import type { CompactReport } from '../../../pipeline/inspect-conversation.ts';
import { defineChatCommand } from './command.ts';

export const compactCommand = defineChatCommand<'chat.compact'>({
  name: 'compact',
  usage: '/compact [what to keep]',
  about: 'summarise the older part of the conversation now',
  // A second time there is nothing left to summarise.
  isRepeatable: true,
  isImmediate: false,
  read: (keep) => ({ operation: 'chat.compact', input: keep === '' ? {} : { keep } }),
  render: written,
});

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
