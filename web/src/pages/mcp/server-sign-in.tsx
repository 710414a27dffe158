// Signing in to an MCP server in a window of its own: the gateway names the address, and waits until the person has been there.
import { call } from '../../api/call.ts';
import { t } from '../../language/language.ts';
import { ProblemNote } from '../../parts/notes.tsx';
import { say } from '../../parts/toast.tsx';
import { useVisit } from '../../parts/use-visit.ts';

const OPERATION = 'mcp.login';

interface ServerSignInProps {
  name: string;
  about: string;
  onSignedIn(): void;
}

export function ServerSignIn({ name, about, onSignedIn }: ServerSignInProps) {
  const { step, problem, begin, cancel } = useVisit(OPERATION, name);
  const signIn = (): Promise<void> =>
    begin(
      (abort) => call(OPERATION, { name }, abort),
      () => {
        say(t('mcp.signedInTo', { name }));
        onSignedIn();
      },
    );
  return (
    <div class="stack note">
      <p>{about}</p>
      {problem !== undefined && <ProblemNote problem={problem} />}
      {!isOnThisMachine() && <p class="quiet">{t('mcp.signInThere')}</p>}
      {step.kind === 'waiting' && (
        <p>
          <a href={step.address} target="_blank" rel="noopener noreferrer">
            {t('mcp.openSignIn', { host: new URL(step.address).host })}
          </a>
        </p>
      )}
      <div class="row wrap">
        {step.kind === 'idle' ? (
          <button type="button" class="button" onClick={() => void signIn()}>
            {t('mcp.signIn')}
          </button>
        ) : (
          <>
            <span class="quiet grow" role="status">
              {t(step.kind === 'starting' ? 'mcp.signInStarting' : 'chatgpt.waiting')}
            </span>
            <button type="button" class="button" onClick={cancel}>
              {t('cancel')}
            </button>
          </>
        )}
      </div>
    </div>
  );
}

/** The server sends the browser back to a port of the machine on which the gateway runs. */
function isOnThisMachine(): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(location.hostname);
}
