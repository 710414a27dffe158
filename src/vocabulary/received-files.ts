// Where files that people have sent are kept: the owner's in one folder of the workspace; those of another person, or of a group,
// in a folder of their own (inbox-of.ts), which only their turns and the owner's read.

/** Each is the first part of a path in the workspace. */
export const INBOX = 'inbox';
export const INBOX_OF_OTHERS = 'inbox-of-others';

/** Whether a path of the workspace is, or holds, what was sent by somebody else. `own`: the folder of those who read. */
export function isSentByOthers(path: string, own: string): boolean {
  const parts = path.toLowerCase().split('/');
  if (parts[0] === INBOX) return own !== INBOX;
  return parts[0] === INBOX_OF_OTHERS && parts.length > 1 && parts.slice(0, 2).join('/') !== own;
}
