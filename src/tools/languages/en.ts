import type { ToolTexts } from './language.ts';

export const en: ToolTexts = {
  'time.now': { description: 'The current moment as a timestamp (ms) and ISO 8601 in UTC.' },
  current_time: {
    description: 'The local date, time, timezone and weekday.',
    parameters: { timezone: 'IANA name, e.g. Asia/Shanghai; default: the system timezone' },
  },
  'tools.echo': { description: 'Returns its arguments unchanged; for testing.' },
  'shell.pwd': { description: 'The working directory that relative paths start from.' },
  'fs.list_dir': {
    description: 'Lists a directory of the workspace: type, size and modification time of each entry.',
    parameters: {
      path: 'Directory, relative to the workspace or absolute inside it',
      recursive: 'Also list subdirectories',
      maxDepth: 'Levels to descend when recursive',
    },
  },
  'fs.read_file': {
    description: 'Reads a text file of the workspace, whole or a range of lines.',
    parameters: {
      path: 'File, relative to the workspace or absolute inside it',
      startLine: 'First line, from 1',
      maxLines: 'Number of lines',
      maxBytes: 'Refuse more than this',
    },
  },
};
