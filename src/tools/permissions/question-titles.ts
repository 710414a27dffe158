// What a person is asked, as the title of the question. The console words each in its own language (web/src/language/audit).
export const TITLES = {
  'at-once': 'Run in {directory}?',
  'in-background': 'Run in {directory} and keep it running in the background, for up to 24 hours?',
  'typed-into-process': 'Type this into a command that runs in the background?',
  read: 'Read {path}?',
  edit: 'Edit {path}?',
  write: 'Write {path}?',
  call: 'Allow {tool}?',
  plan: 'Continue with this plan?',
  // They follow another one, in place of its question mark.
  reaches: ' and reach {hosts}?',
  'reaches-many': ' and reach {count} hosts?',
} as const;

export type TitleCode = keyof typeof TITLES;
