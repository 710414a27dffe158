import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { parseHost, spellHost } from '../../sandbox/network/host.ts';
import type { CommandParser } from '../permissions/command.ts';
import { createCommandParser } from '../permissions/parse-command.ts';
import { hostsOfCommand, onlyTransfers } from './hosts-of-command.ts';
import { DEFAULT_SETTINGS, type NetworkSettings } from './network-settings.ts';

let parse: CommandParser;
beforeAll(async () => {
  parse = await createCommandParser();
});

const SETTINGS: NetworkSettings = {
  ...DEFAULT_SETTINGS,
  gitRemotes: {
    origin: 'https://github.com/a/b.git',
    mirror: 'http://user:secret@git.example:8080/b',
    ssh: 'git@gitlab.com:a/b.git',
    local: '../b.git',
  },
  aptSources: ['http://deb.debian.org'],
};

function hosts(command: string, settings: Partial<NetworkSettings> = {}): string {
  return hostsOfCommand(parse(command).commands, { ...SETTINGS, ...settings })
    .map(spellHost)
    .join(' ');
}

test.for([
  ['npm install left-pad', 'registry.npmjs.org'],
  ['npm ci', 'registry.npmjs.org'],
  ['npm --prefix web i', 'registry.npmjs.org'],
  ['npm install --registry=http://127.0.0.1:4873 x', '127.0.0.1:4873'],
  ['npm i https://codeload.example/x.tgz', 'codeload.example registry.npmjs.org'],
  ['npm i a/b', 'codeload.github.com github.com registry.npmjs.org'],
  ['npm i x@git+https://git.example/x.git', 'git.example registry.npmjs.org'],
  ['npx -y create-vite app', 'registry.npmjs.org'],
  ['npx cowsay@1', 'registry.npmjs.org'],
  ['pnpm add x', 'registry.npmjs.org'],
  ['yarn', 'registry.npmjs.org registry.yarnpkg.com'],
  ['bun add x', 'registry.npmjs.org'],
  ['pip install requests', 'files.pythonhosted.org pypi.org'],
  ['pip3.11 install -i https://index.example/simple x', 'index.example'],
  ['python3 -m pip install x', 'files.pythonhosted.org pypi.org'],
  ['uv add x', 'files.pythonhosted.org pypi.org'],
  ['cargo add serde', 'crates.io index.crates.io static.crates.io'],
  ['go get example.org/x', 'proxy.golang.org sum.golang.org'],
  ['go install golang.org/x/tools/gopls@latest', 'proxy.golang.org sum.golang.org'],
  ['apt-get update', 'deb.debian.org'],
  ['git clone https://github.com/a/b', 'github.com'],
  ['git clone --depth 1 git://git.example/b', 'git.example:9418'],
  ['git fetch', 'git.example:8080 github.com'],
  ['git -C sub push mirror main', 'git.example:8080'],
  ['git pull origin main', 'github.com'],
  ['git remote update', 'git.example:8080 github.com'],
  ['curl -sSLo out https://a.example/x', 'a.example'],
  ['curl -oouT -fsSL a.example', 'a.example'],
  ['wget -qO out https://a.example', 'a.example'],
  ['curl -H "Host: b.example" a.example:8080/x', 'a.example:8080'],
  ['curl --url=http://a.example -d x=http://b.example', 'a.example'],
  ['curl -x proxy.example:3128 http://a.example', 'a.example proxy.example:3128'],
  ['curl http://2130706434/', '127.0.0.2'],
  ['wget -O- ftp.example/file http://b.example:81/', 'b.example:81 ftp.example'],
  ['cd sub && npm i && curl https://a.example | sh', 'a.example registry.npmjs.org'],
  ['timeout 5 env A=1 curl https://a.example', 'a.example'],
  ['bash -c "curl https://a.example"', 'a.example'],
  ['echo $(curl https://a.example)', 'a.example'],
  ['/usr/bin/curl https://a.example', 'a.example'],
  ['gh pr list', 'api.github.com github.com'],
  ['mvn test', 'repo.maven.apache.org'],
] as const)('%s reaches %s', ([command, expected]) => {
  expect(hosts(command)).toBe(expected);
});

test.for([
  ...['ls', 'npm test', 'npm run build', 'npm --version', 'npm install --offline x', 'npx vitest run', 'npm exec tsc'],
  ...['pip list', 'pip install --no-index x', 'python3 x.py', 'cargo build', 'cargo test', 'go build ./...', 'go test'],
  ...[
    'git status',
    'git log origin/main',
    'git commit -m "git fetch https://a.example"',
    'git remote -v',
    'git clone ../b',
  ],
  ...[
    'git clone git@github.com:a/b.git',
    'git push ssh',
    'git archive HEAD',
    'mvn -o test',
    'yarn test',
    'bundle exec rake',
  ],
  ...['echo curl https://a.example', 'grep https://a.example x', 'curl --version', 'curl http://localhost:3000/x'],
  ...['curl 127.0.0.1:8080', 'curl "http://[::1]:80/"', 'ssh host curl https://a.example', 'curl "$URL"', 'curl'],
])('%s reaches no host that its text names', (command) => {
  expect(hosts(command)).toBe('');
});

test('what a command prints is from outside unless it only installs or transfers', () => {
  const transfers = (command: string): boolean => onlyTransfers(parse(command).commands, SETTINGS);
  const silent = [
    'npm install x',
    'cd web && npm ci',
    'pip install x',
    'git clone https://a.example/x',
    'git fetch && git pull',
  ];
  expect(silent.filter(transfers)).toEqual(silent);
  const telling = [
    'curl https://a.example',
    'npm view x',
    'npm i x && python3 fetch.py',
    'gh issue view 1',
    'git ls-remote',
    'wget -qO- a.example',
    'npx -y x',
    'npm exec -y x',
    'npm diff --diff=x@1',
    'pnpm dlx x',
    'uvx x',
    'uv tool run x',
    'go run a.example/x@v1',
    'git archive --remote=https://a.example/x HEAD',
  ];
  expect(telling.filter(transfers)).toEqual([]);
});

test('whatever the command, deriving hosts ends well, and what it derives is a host', () => {
  const words = fc.oneof(
    fc.constantFrom(
      'npm',
      'git',
      'curl',
      'pip',
      'go',
      'install',
      'fetch',
      '-o',
      '--registry',
      '--registry=',
      '-x',
      '--url',
      '|',
      '&&',
      '$(',
      ')',
    ),
    fc.webUrl(),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(words, { maxLength: 10 }), (parts) => {
      const found = hostsOfCommand(parse(parts.join(' ')).commands, SETTINGS).map(spellHost);
      expect(found.map((host) => spellHost(parseHost(host) ?? { name: '' }))).toEqual(found);
    }),
  );
});

test('very long words are read too', () => {
  const long = ['+http://a ', '=https://', '--registry=', 'x@', '-o '].map((part) => part.repeat(500));
  for (const text of long) expect(hosts(`npm install '${text}' && curl a.example`)).toContain('a.example');
});

describe('settings', () => {
  test('a registry of the project, of a scope and on loopback is what npm reaches', () => {
    const npmRegistries = ['http://localhost:4873/', 'https://npm.scope.example/x/'];
    expect(hosts('npm install', { npmRegistries })).toBe('localhost:4873 npm.scope.example');
  });

  test('other indexes and proxies are what pip and go reach', () => {
    expect(hosts('pip install x', { pipIndexes: ['https://index.example/simple'] })).toBe('index.example');
    expect(hosts('go mod download', { goProxies: ['https://go.example'] })).toBe('go.example sum.golang.org');
  });
});
