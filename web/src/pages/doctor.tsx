// The doctor: what works, what does not, and the command that repairs it.
import { useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import type { Output } from '../api/operations.ts';
import { t, wordText } from '../language/language.ts';
import { ConfirmDialog } from '../parts/dialog.tsx';
import { Icon } from '../parts/icon.tsx';
import { Page, WhenLoaded } from '../parts/page.tsx';
import { attempt } from '../parts/toast.tsx';
import { useLoaded } from '../parts/use-loaded.ts';

const STATES = { ok: 'check', advice: 'bell', problem: 'warn' } as const;

export default function Doctor() {
  const checks = useLoaded((abort) => call('doctor.check', {}, abort), []);
  return (
    <Page
      title={t('page.doctor')}
      about={t('doctor.about')}
      actions={
        <button type="button" class="button" onClick={checks.reload}>
          <Icon name="retry" /> {t('doctor.again')}
        </button>
      }
    >
      <WhenLoaded of={checks}>
        {({ healthy, checks: listed }) => (
          <>
            <p class={healthy ? 'note ok' : 'note problem'} role="status">
              <Icon name={healthy ? 'check' : 'warn'} /> {t(healthy ? 'doctor.healthy' : 'doctor.problems')}
            </p>
            {!healthy && <Repair onDone={checks.reload} />}
            <ul class="cards">
              {listed.map(({ name, state, message, fix }, index) => (
                <li key={index} class={`card check ${state}`}>
                  <Icon name={STATES[state]} />
                  <div>
                    <strong>{wordText(name)}</strong> <span class="unseen">{wordText(state)}</span>
                    <p>{message}</p>
                    {fix !== undefined && (
                      <p>
                        <code>{fix}</code>
                      </p>
                    )}
                  </div>
                </li>
              ))}
            </ul>
          </>
        )}
      </WhenLoaded>
    </Page>
  );
}

/** Damaged files only; what is replaced is kept. */
function Repair({ onDone }: { onDone(): void }) {
  const [isAsking, setAsking] = useState(false);
  const [report, setReport] = useState<Output<'doctor.repair'>>();
  return (
    <div class="stack">
      <div class="row">
        <button type="button" class="button" onClick={() => setAsking(true)}>
          {t('doctor.repair')}
        </button>
      </div>
      {report && (
        <ul class="lines" role="status">
          {report.repaired.length === 0 && <li>{t('doctor.nothing')}</li>}
          {report.repaired.map(({ path, done }) => (
            <li key={path}>
              <code>{path}</code> {done}
            </li>
          ))}
        </ul>
      )}
      {isAsking && (
        <ConfirmDialog
          title={t('doctor.repairTitle')}
          text={t('doctor.repairText')}
          action={t('doctor.repair')}
          onClose={() => setAsking(false)}
          onConfirm={async () => {
            setReport(await attempt(() => call('doctor.repair', {})));
            onDone();
          }}
        />
      )}
    </div>
  );
}
