import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { riskySettings } from './risky-settings.ts';

describe('settings of a repository', () => {
  it('are harmless as git writes them', () => {
    const text = `[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = false
\tlogallrefupdates = true
[remote "origin"]
\turl = git@example.com:a/b.git
\tfetch = +refs/heads/*:refs/remotes/origin/*
[branch "feature/x"]
\tremote = origin
\tmerge = refs/heads/feature/x
[submodule "libs/a"]
\tactive = true
\turl = https://example.com/a.git
`;
    expect(riskySettings(text)).toEqual([]);
    expect(riskySettings(text.replaceAll('\n', '\r\n'))).toEqual([]);
    expect(riskySettings('')).toEqual([]);
  });

  it.each([
    ['[core]\n\tfsmonitor = x', ['core.fsmonitor=x']],
    ['[core] fsmonitor = x', ['core.fsmonitor=x']],
    ['[CORE]\nFsMonitor=x', ['core.fsmonitor=x']],
    ['[core]\nfsmonitor', ['core.fsmonitor=']],
    ['\uFEFF[core]\nhooksPath = x', ['core.hookspath=x']],
    ['[filter "a"]\nclean = x\nrequired', ['filter.a.clean=x', 'filter.a.required=']],
    ['[filter.a]\nprocess = x', ['filter.a.process=x']],
    ['[diff "a]b"]\ntextconv = x', ['diff.a]b.textconv=x']],
    ['[include]\npath = x', ['include.path=x']],
    ['[submodule "a"]\nupdate = !x', ['submodule.a.update=!x']],
    ['[remote "a"]\nurl = ext::sh -c x', ['remote.a.url=ext::sh -c x']],
    ['[remote "a"]\nuploadpack = x', ['remote.a.uploadpack=x']],
    ['[alias]\nst = !x', ['alias.st=!x']],
    ['[core]\n# x \\\nfsmonitor = x', ['a continued line']],
    ['[core]\nbare = fal\\\nse', ['a continued line']],
    ['[core]\rfsmonitor = x', ['a control character']],
    ['[core]\nbare = false\u0000', ['a control character']],
    ['fsmonitor = x', ['a line that cannot be read: fsmonitor = x']],
    ['[core "x]\nfsmonitor = x', ['a line that cannot be read: [core "x]']],
  ])('are risky where git would run something or they cannot be read: %j', (text, risky) => {
    expect(riskySettings(text)).toEqual(risky);
  });

  it('are risky with a monitor among them, wherever it is written', () => {
    const line = fc.constantFrom(
      '[core]',
      '[core "x"]',
      '\tbare = false',
      '# fsmonitor',
      '',
      '[remote "a"]',
      'url = x',
      '\\',
      '"',
      '[',
    );
    fc.assert(
      fc.property(fc.array(line), fc.array(line), (before, after) => {
        const text = [...before, '[core]', '\tfsmonitor = x', ...after].join('\n');
        expect(riskySettings(text)).not.toEqual([]);
      }),
    );
  });
});
