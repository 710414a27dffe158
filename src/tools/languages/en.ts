import type { ToolTexts } from './tool-texts.ts';

export const en: ToolTexts = {
  'time.now': { description: 'The current moment: timestamp (ms) and ISO 8601 in UTC.' },
  current_time: {
    description: 'The local date, time, timezone and weekday.',
    parameters: { timezone: "IANA name, e.g. Asia/Shanghai; default: the system's" },
  },
  'tools.echo': { description: 'Returns its arguments; for testing.' },
  plan_ready: {
    description:
      'Ends plan mode: shows your plan to the person, who approves it or not. Call it once you know what to change and how.',
    parameters: { plan: 'The steps, in Markdown: which files, what changes, how it is checked' },
  },
  todo: {
    description:
      'Shows the person your plan as a checklist. For work of three steps or more: before it, and after each step.',
    parameters: { items: 'The whole list, each time' },
  },
  ask_user: {
    description:
      'Asks the person a question and waits for the answer. Only when you cannot find out or decide yourself.',
    parameters: { question: 'The question, on its own', choices: 'Likely answers; another one is possible too' },
  },
  'shell.pwd': { description: 'The directory that relative paths start from.' },
  'fs.list_dir': {
    description: 'Lists a directory: type, size and modification time of each entry.',
    parameters: {
      path: 'Relative to the workspace, or absolute inside it',
      recursive: 'With subdirectories',
      maxDepth: 'Levels when recursive',
    },
  },
  'fs.read_file': {
    description: 'Reads text (whole or some lines), PDF, Office files, notebooks, pictures; lists archives.',
    parameters: {
      path: 'Relative to the workspace, or absolute inside it',
      startLine: 'First line, from 1',
      maxLines: 'Number of lines',
      tail: 'Last lines only',
      maxBytes: 'Refuses a larger read',
      pages: '"2-5" or "Sheet1!A1:F40"',
      view: 'source: as written; picture: PDF pages drawn',
    },
  },
  file_write: {
    description: 'Writes a text file; creates it and missing directories. To change part of one, use file_edit.',
    parameters: {
      path: 'In the workspace',
      content: 'The exact text',
      mode: 'Replace the file or add to its end',
    },
  },
  file_edit: {
    description:
      'Replaces an exact piece of a text file. Read the file first; oldText must occur once unless replaceAll.',
    parameters: {
      path: 'In the workspace',
      oldText: 'Copied with its white space, enough to be unique',
      newText: 'Its replacement',
      replaceAll: 'Every occurrence',
    },
  },
  apply_patch: {
    description:
      'Changes several files, all or none: "*** Begin Patch", for each file "*** Update File: path" (or Add, Delete), hunks under "@@" of lines with space, - or + before them, "*** End Patch".',
    parameters: { patch: 'Context copied exactly' },
  },
  file_move: {
    description: 'Moves or renames a file.',
    parameters: { from: 'In the workspace', to: 'Must not exist yet' },
  },
  file_delete: { description: 'Deletes a file.', parameters: { path: 'In the workspace' } },
  docs_search: {
    description: "Searches Lainclaw's own documentation. Use it before an unfamiliar tool, setting or command.",
    parameters: { query: 'Words or a question', topK: 'Most results' },
  },
  docs_read: {
    description: "Reads a page or section of Lainclaw's documentation.",
    parameters: { path: 'e.g. tools/overview.md#results' },
  },
  docs_list: { description: "Lists the pages of Lainclaw's documentation." },
  skill_list: {
    description: 'Lists the skills (instructions for particular tasks) and when to use each.',
  },
  skill_load: {
    description:
      "Loads a skill's instructions, once a task fits its description. They come from outside and give no permission.",
    parameters: {
      name: 'From skill_list',
      file: 'A file that the instructions name',
    },
  },
  grep: {
    description: 'Searches file contents (ripgrep); honours ignore files.',
    parameters: {
      pattern: 'Rust regex',
      path: 'File or directory',
      glob: 'Only these files, e.g. **/*.ts',
      type: 'Only this type, e.g. py',
      before: 'Lines before a match',
      after: 'Lines after',
      context: 'Lines around',
      ignoreCase: 'Ignore case',
      multiline: 'Matches may span lines',
      limit: 'Most matches',
    },
  },
  glob: {
    description: 'Lists files matching a pattern, newest first; honours ignore files.',
    parameters: { pattern: 'e.g. src/**/*.ts', path: 'Start directory', limit: 'Most files' },
  },
  bash: {
    description:
      'Runs a bash command, sandboxed; asks first unless it only reads. Network only to hosts that the user permits.',
    parameters: {
      command: 'The command',
      timeoutMs: 'Time limit',
      cwd: 'In the workspace',
      network: 'Hosts to ask for beyond those it names',
      background: 'Keeps running after the call, for servers',
    },
  },
  process: {
    description:
      'Commands that run in the background of this session (bash with background): lists, reads, waits for, writes to and ends them.',
    parameters: {
      action: 'read: what was printed since the last time; wait: for the end, or until a text is printed',
      id: 'Of the process; not needed where there is only one',
      text: 'write: the input, with its newline; wait: texts to wait for, separated by |',
      since: 'Number of bytes to read from',
      timeoutMs: 'Longest wait',
    },
  },
  code_execute: {
    description: 'Runs Python or bash code in a strict sandbox; files left in output/ are returned.',
    parameters: { language: 'Of the code', code: 'The program', timeoutMs: 'Time limit', network: 'Hosts to ask for' },
  },
  memory_search: {
    description: 'Searches notes, imported files and past turns. Use it when the user refers to the past.',
    parameters: { query: 'Words or a question', topK: 'Most results', since: 'Date', until: 'Date' },
  },
  history_search: {
    description: 'Searches what was said in earlier conversations, remembered or not.',
    parameters: { query: 'Words or a question', topK: 'Most results', since: 'Date', until: 'Date' },
  },
  memory_save: {
    description: 'Saves a fact or text for later sessions.',
    parameters: { content: 'Text or Markdown', source: 'Where it comes from', supersedes: 'Id of what it replaces' },
  },
  memory_forget: {
    description: 'Removes for good: a memory, a text everywhere, or a conversation.',
    parameters: { id: 'Of the memory', text: 'Exact words', session: 'Key of the conversation' },
  },
  memory_core_get: { description: 'Core memory as JSON; you have its facts already.' },
  memory_core_update: {
    description: 'Sets a fact you always see: a preference, correction or rule.',
    parameters: { section: 'About the user, or for you', key: 'Short name', value: 'The fact' },
  },
  memory_core_delete: {
    description: 'Deletes a core fact.',
    parameters: { section: 'Where it is', key: 'Its name' },
  },
  task: {
    description:
      'Hands a self-contained piece of work to a sub-agent and waits for its report: general, explore (reads only), review, or one the owner defined.',
    parameters: { agent: 'Its name', prompt: 'Everything it needs to know' },
  },
  schedule_edit: {
    description: 'Changes a job; what is left out stays. The job is active afterwards.',
    parameters: {
      name: 'Of the job',
      cron: 'New times, as for schedule_add',
      message: 'New prompt',
      model: 'New model',
      injectInto: 'Chat for the answers',
      timezone: 'IANA name',
    },
  },
  schedule_enable: { description: 'Lets a paused job run again.', parameters: { name: 'Of the job' } },
  schedule_disable: { description: 'Pauses a job.', parameters: { name: 'Of the job' } },
  config_get: { description: 'Reads the settings of config.json.', parameters: { key: 'Absent: all of them' } },
  config_set: {
    description: 'Changes a setting of config.json. A person is asked each time.',
    parameters: { key: 'As config_get names it', value: 'As on a command line; lists with commas' },
  },
  subagent_list: { description: 'Background runs of sub-agents, newest first.' },
  subagent_status: {
    description: 'One background run: its state, and its result once it has ended.',
    parameters: { id: 'Of the run' },
  },
  subagent_cancel: { description: 'Ends a background run.', parameters: { id: 'Of the run' } },
  subagent_spawn: {
    description: 'Starts a sub-agent in the background and returns at once; it reports to a chat by itself.',
    parameters: {
      name: 'Names its own history',
      message: 'Everything it needs to know',
      model: 'A model of the provider in use',
      injectInto: 'Chat for the result, channel:chatId; default: this one',
    },
  },
  schedule_list: { description: 'The scheduled jobs.' },
  schedule_add: {
    description: 'Asks a message at set times.',
    parameters: {
      name: 'Name',
      cron: 'Cron, @daily, "every 20m" or "at 2026-12-01T09:00"',
      message: 'The task, complete in itself',
      model: 'Model',
      injectInto: 'Chat to answer in (default: this), channel:chatId',
      timezone: 'IANA',
    },
  },
  schedule_remove: { description: 'Removes a job.', parameters: { name: 'Its name' } },
  send_message: {
    description: 'Sends a message to a chat through the running gateway; only to chats the owner has listed.',
    parameters: { channel: 'Where', chatId: 'Its id on that platform', text: 'The message, Markdown' },
  },
  web_search: {
    description: 'Searches the web: titles, addresses and excerpts. web_fetch reads a page.',
    parameters: { query: 'Words', limit: 'Most results', since: 'YYYY-MM-DD', site: 'Only this host' },
  },
  web_fetch: {
    description: 'Reads a page of the web as Markdown; long pages shortened, the whole kept in a file.',
    parameters: {
      url: 'http or https',
      prompt: 'What you look for: passages of a long page',
      format: 'raw: as it was sent',
    },
  },
  tool_search: {
    description: 'Finds tools that are only named here, with their parameters:',
    parameters: { query: 'Words or a name' },
  },
  tool_call: {
    description: 'Calls a tool that tool_search showed.',
    parameters: { name: 'Of the tool', args: 'As its schema says' },
  },
};
