import { describe, expect, it } from 'vitest';
import { joinLine, splitLine } from './command-line.ts';
import {
  inputOf,
  isPlaceholder,
  mayBeShown,
  NO_SERVER,
  readServers,
  type ServerDraft,
  suggestedName,
  withLine,
} from './read-server.ts';

const only = (text: string): ServerDraft => {
  const [server, ...more] = readServers(text);
  if (!server || more.length > 0) throw new Error(`${readServers(text).length} servers`);
  return server;
};

describe('a command line', () => {
  it.each([
    ['npx -y server', ['npx', '-y', 'server']],
    [`node "/my files/server.js" --name 'Ada L'`, ['node', '/my files/server.js', '--name', 'Ada L']],
    [`x --filter="a b" it\\'s "say \\"hi\\" \\d"`, ['x', '--filter=a b', "it's", 'say "hi" \\d']],
    [`x '' ""`, ['x', '', '']],
    ['docker run \\\n  -i image', ['docker', 'run', '-i', 'image']],
    ['x "a | b" ";"', ['x', 'a | b', ';']],
  ])('%s is split as a shell does', (line, words) => {
    expect(splitLine(line)).toEqual({ words });
  });

  it.each([
    ['x "a', 'open-quote'],
    ["x 'a b", 'open-quote'],
    ['cd a && node b', 'needs-shell'],
    ['node b > log', 'needs-shell'],
    ['a | b', 'needs-shell'],
  ])('%s is refused', (line, problem) => {
    expect(splitLine(line)).toEqual({ problem });
  });

  it('that is written from words is split into the same words', () => {
    const parts = ['a', '', ' ', "'", '"', '\\', '$', '`', '&&', '|', '\n', 'é', '--x=y z'];
    for (const one of parts)
      for (const other of parts) {
        const words = ['p', one + other, other];
        expect(splitLine(joinLine(words))).toEqual({ words });
      }
  });
});

describe('what is pasted', () => {
  it('may be the JSON of another program, with comments, several servers and addresses', () => {
    const servers = readServers(`
      {
        // from a README
        "mcpServers": {
          "files": { "command": "npx", "args": ["-y", "@x/server-files", "/my files"], "env": { "KEY": "a//b", "N": 3 }, },
          "web search": { "type": "http", "url": "https://mcp.example.com/v1", "headers": { "Authorization": "Bearer abc" } },
          "nothing": {},
        },
      }`);
    expect(servers).toEqual([
      {
        name: 'files',
        line: "npx -y @x/server-files '/my files'",
        cwd: '',
        env: [
          { name: 'KEY', value: 'a//b' },
          { name: 'N', value: '3' },
        ],
        headers: [],
      },
      {
        name: 'web-search',
        line: 'https://mcp.example.com/v1',
        cwd: '',
        env: [],
        headers: [{ name: 'Authorization', value: 'Bearer abc' }],
      },
    ]);
  });

  it.each([
    ['{"mcp":{"servers":{"a":{"command":"x","args":["y"],"cwd":"/w"}}}}', { name: 'a', line: 'x y', cwd: '/w' }],
    ['"a": {"command": "x"},', { name: 'a', line: 'x' }],
    ['{"command":"npx","args":["@playwright/mcp@latest"]}', { name: 'playwright', line: 'npx @playwright/mcp@latest' }],
    [
      '{"name":"b","command":["x","y z"],"environment":{"K":"v"}}',
      { name: 'b', line: "x 'y z'", env: [{ name: 'K', value: 'v' }] },
    ],
    ['```json\n{"servers":{"a":{"serverUrl":"https://a.b/sse"}}}\n```', { name: 'a', line: 'https://a.b/sse' }],
    ['$ npx -y server-git', { name: 'git', line: 'npx -y server-git' }],
    ['env TOKEN="a b" npx thing', { line: 'npx thing', env: [{ name: 'TOKEN', value: 'a b' }] }],
    [
      'claude mcp add --scope user -e KEY=v --env=B=2 tickets -- npx -y tickets-mcp --fast',
      {
        name: 'tickets',
        line: 'npx -y tickets-mcp --fast',
        env: [
          { name: 'KEY', value: 'v' },
          { name: 'B', value: '2' },
        ],
      },
    ],
    [
      'claude mcp add --transport http issues https://x.dev/mcp --header "Authorization: Bearer t:1"',
      { name: 'issues', line: 'https://x.dev/mcp', headers: [{ name: 'Authorization', value: 'Bearer t:1' }] },
    ],
    [
      "lainclaw mcp add issues --url https://x.dev/mcp --header 'X-Key=t'",
      { name: 'issues', line: 'https://x.dev/mcp', headers: [{ name: 'X-Key', value: 't' }] },
    ],
    ['codex mcp add play npx "@playwright/mcp@latest"', { name: 'play', line: 'npx @playwright/mcp@latest' }],
  ])('%s', (text, server) => {
    expect(only(text)).toEqual({ ...NO_SERVER, name: expect.any(String), ...server });
  });

  it.each(['', '{"a":1}', '{', 'x "y', 'claude mcp add', 'A=b'])('%s names no server', (text) => {
    expect(readServers(text)).toEqual([]);
  });
});

it.each([
  ['npx -y @modelcontextprotocol/server-everything', 'everything'],
  ['uvx mcp-server-git --repository /x', 'git'],
  ['docker run -i --rm ghcr.io/github/github-mcp-server:latest stdio', 'github'],
  ['node /srv/tools/index.js', 'index'],
  ['https://mcp.linear.app/sse', 'linear'],
  ['http://127.0.0.1:3000/mcp', 'local'],
  ['http://[::1]:3000/mcp', 'local'],
  ['http://[', ''],
  ['https://<your-host>/mcp', ''],
  ['', ''],
])('%s is called %s', (line, name) => {
  expect(suggestedName(line)).toBe(name);
});

it('a draft is sent as a program with its arguments, or as an address with its headers', () => {
  const env = [
    { name: ' KEY ', value: ' v ' },
    { name: '', value: 'lost' },
  ];
  expect(inputOf({ ...NO_SERVER, name: ' a ', line: 'B=1 node "x y"', cwd: ' /w ', env })).toEqual({
    name: 'a',
    command: 'node',
    args: ['x y'],
    env: { B: '1', KEY: ' v ' },
    cwd: '/w',
  });
  expect(inputOf({ ...NO_SERVER, name: 'a', line: ' https://x/ ', env, headers: [{ name: 'A', value: 'b' }] })).toEqual(
    {
      name: 'a',
      url: 'https://x/',
      headers: { A: 'b' },
    },
  );
  expect(inputOf({ ...NO_SERVER, name: 'a', line: 'x "' })).toEqual({ problem: 'open-quote' });
});

it('a name is suggested while the line is typed, until the person gives one', () => {
  const typed = (draft: ServerDraft, line: string): ServerDraft => withLine(draft, line, [])[0] ?? NO_SERVER;
  const first = typed(NO_SERVER, 'npx server-git');
  expect([first.name, typed(first, 'npx tickets-mcp').name]).toEqual(['git', 'tickets']);
  expect(typed({ ...first, name: 'mine' }, 'npx tickets-mcp').name).toBe('mine');
});

it('what is pasted over a draft keeps what the person gave beside it', () => {
  const draft = { name: 'mine', line: '', cwd: '/w', env: [{ name: 'A', value: '1' }], headers: [] };
  const [one] = withLine(draft, '', readServers('{"other":{"command":"x","env":{"B":"2"}}}'));
  expect(one).toEqual({ ...draft, line: 'x', env: [...draft.env, { name: 'B', value: '2' }] });
  expect(withLine(draft, '', readServers('{"a":{"command":"x"},"b":{"command":"y"}}')).map(({ name }) => name)).toEqual(
    ['a', 'b'],
  );
});

it('a placeholder is distinguished from a value, and only what is not secret is shown', () => {
  const standing = ['<YOUR_TOKEN>', `\${input:token}`, 'your-api-key', 'Bearer YOUR_TOKEN', 'xxxx', '...'];
  expect(standing.filter((value) => !isPlaceholder(value) || !mayBeShown(value))).toEqual([]);
  expect(['ghp_abc', 'sk-1', `\${TOKEN}`].map(isPlaceholder)).toEqual([false, false, false]);
  expect(['ghp_abc', `\${TOKEN}`, `x\${TOKEN}`].map(mayBeShown)).toEqual([false, true, false]);
});
