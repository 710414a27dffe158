// The doctor: what works, what does not, and the command that repairs it.
import { call } from '../api/call.ts';
import { t } from '../language/language.ts';
import { Icon } from '../parts/icon.tsx';
import { Page, WhenLoaded } from '../parts/page.tsx';
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
            <ul class="cards">
              {listed.map(({ name, state, message, fix }, index) => (
                <li key={index} class={`card check ${state}`}>
                  <Icon name={STATES[state]} />
                  <div>
                    <strong>{name}</strong> <span class="unseen">{state}</span>
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
