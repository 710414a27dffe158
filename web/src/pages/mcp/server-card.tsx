// One MCP server: how it is reached, whether it answers, its tools, and which of them are trusted.
import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import type { Output } from '../../api/operations.ts';
import { t } from '../../language/language.ts';
import { ConfirmDialog } from '../../parts/dialog.tsx';
import { Icon } from '../../parts/icon.tsx';
import { wordedError } from '../../parts/notes.tsx';
import { attempt, say } from '../../parts/toast.tsx';
import { hrefOf } from '../../router.ts';
import { joinLine } from './command-line.ts';
import { ServerSignIn } from './server-sign-in.tsx';

export type Server = Output<'mcp.list'>['servers'][number];

/** More of them are folded. */
const SHOWN_TOOLS = 6;

type Asking = { kind: 'trust'; tool?: string } | { kind: 'remove' };

export function ServerCard({ server, onDone }: { server: Server; onDone(): void }) {
  const [asking, setAsking] = useState<Asking>();
  const [isTesting, setTesting] = useState(false);
  const { name, tools, trusted, signedIn, problem, leftOut } = server;
  const isTrusted = tools.length > 0 && trusted.length === tools.length;
  const act = async (work: () => Promise<unknown>): Promise<void> => {
    await attempt(work);
    onDone();
  };
  const test = async (): Promise<void> => {
    setTesting(true);
    await act(async () => {
      const tested = await call('mcp.test', { name });
      say(t('mcp.tested', { name, count: tested.tools.length }));
    });
    setTesting(false);
  };
  return (
    <li class="card stack">
      <div class="row wrap">
        <strong>{name}</strong>
        {isTrusted && <span class="state ok">{t('mcp.trusted')}</span>}
        {signedIn && <span class="state ok">{t('mcp.signedIn')}</span>}
        <span class="grow" />
        <button type="button" class="button small" disabled={isTesting} onClick={() => void test()}>
          {t(isTesting ? 'mcp.trying' : 'mcp.test')}
        </button>
        {signedIn && (
          <button type="button" class="button small" onClick={() => act(() => call('mcp.logout', { name }))}>
            {t('browsers.revoke')}
          </button>
        )}
        {isTrusted ? (
          <button type="button" class="button small" onClick={() => act(() => call('mcp.distrust', { name }))}>
            {t('mcp.distrust')}
          </button>
        ) : (
          <button type="button" class="button small" onClick={() => setAsking({ kind: 'trust' })}>
            {t('mcp.trust')}
          </button>
        )}
        <button
          type="button"
          class="icon-button"
          aria-label={t('delete.of', { title: name })}
          onClick={() => setAsking({ kind: 'remove' })}
        >
          <Icon name="trash" />
        </button>
      </div>
      <HowReached server={server} />
      {problem?.code === 'MCP_SIGN_IN' ? (
        <ServerSignIn name={name} about={t('mcp.needsSignIn')} onSignedIn={onDone} />
      ) : (
        problem && <ProblemText problem={problem} />
      )}
      {leftOut.map((each) => (
        <p key={each} class="quiet">
          {t('mcp.leftOut', { tool: each })}
        </p>
      ))}
      <Tools
        server={server}
        onTrust={(tool) => setAsking({ kind: 'trust', tool })}
        onDistrust={(tool) => act(() => call('mcp.distrust', { name, tool }))}
      />
      {asking?.kind === 'trust' && (
        <ConfirmDialog
          title={t('mcp.trustTitle', { name: asking.tool ?? name })}
          text={t(asking.tool === undefined ? 'mcp.trustText' : 'mcp.trustToolText')}
          action={t('mcp.trust')}
          onClose={() => setAsking(undefined)}
          onConfirm={() => void act(() => call('mcp.trust', { name, tool: asking.tool }))}
        />
      )}
      {asking?.kind === 'remove' && (
        <ConfirmDialog
          title={t('mcp.removeTitle', { name })}
          text={t('mcp.removeText')}
          action={t('delete')}
          onClose={() => setAsking(undefined)}
          onConfirm={() => void act(() => call('mcp.remove', { name }))}
        />
      )}
    </li>
  );
}

function ProblemText({ problem: { code, text: message } }: { problem: NonNullable<Server['problem']> }) {
  const { text, detail } = wordedError({ code, message });
  return (
    <div>
      <p class="problem-text">{text}</p>
      {detail !== undefined && <p class="quiet">{detail}</p>}
    </div>
  );
}

function HowReached({ server: { command, args = [], url, cwd, env = {}, headers = {} } }: { server: Server }) {
  const given = Object.keys(url === undefined ? env : headers);
  return (
    <p class="quiet">
      <code>{url ?? joinLine([command ?? '', ...args])}</code>
      {cwd !== undefined && ` · ${t('mcp.folder')}: ${cwd}`}
      {given.length > 0 && ` · ${t(url === undefined ? 'mcp.env' : 'mcp.headers')}: ${given.join(', ')}`}
    </p>
  );
}

interface ToolsProps {
  server: Server;
  onTrust(tool: string): void;
  onDistrust(tool: string): void;
}

function Tools({ server: { name, tools, trusted }, onTrust, onDistrust }: ToolsProps) {
  if (tools.length === 0) return null;
  return (
    <details open={tools.length <= SHOWN_TOOLS}>
      <summary>{t('mcp.tools', { count: tools.length, trusted: trusted.length })}</summary>
      <ul class="lines">
        {tools.map((tool) => {
          const own = tool.slice(`mcp__${name}__`.length);
          return (
            <li key={tool} class="row">
              <a href={hrefOf('tools', tool)}>{own}</a>
              <span class="grow" />
              {trusted.includes(tool) ? (
                <button
                  type="button"
                  class="button small"
                  aria-label={t('mcp.distrustTool', { tool: own })}
                  onClick={() => onDistrust(tool)}
                >
                  {t('mcp.distrust')}
                </button>
              ) : (
                <button
                  type="button"
                  class="button small"
                  aria-label={t('mcp.trustTool', { tool: own })}
                  onClick={() => onTrust(tool)}
                >
                  {t('mcp.trust')}
                </button>
              )}
            </li>
          );
        })}
      </ul>
    </details>
  );
}
