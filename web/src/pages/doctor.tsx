// The doctor: what works, what does not, and the command that repairs it.
import { call } from '../api/call.ts';
import type { Output } from '../api/operations.ts';
import { type DoctorTexts, doctorTexts } from '../language/doctor/doctor-texts.ts';
import { errorText } from '../language/errors/error-texts.ts';
import { filled } from '../language/filled.ts';
import { withLocalTimes } from '../language/format.ts';
import { language, t, wordText } from '../language/language.ts';
import { Icon } from '../parts/icon.tsx';
import { Page, WhenLoaded } from '../parts/page.tsx';
import { useLoaded } from '../parts/use-loaded.ts';

const STATES = { ok: 'check', advice: 'bell', problem: 'warn' } as const;

/** The gateway that shows this page has the files in use. */
const REPAIR = ['gateway stop', 'doctor --fix', 'up'].map((command) => `lainclaw ${command}`).join('\n');

export default function Doctor() {
  const checks = useLoaded(
    async (abort) => {
      const [report, texts] = await Promise.all([call('doctor.check', {}, abort), doctorTexts(language.value)]);
      return { ...report, texts };
    },
    [language.value],
  );
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
        {({ healthy, checks: listed, texts }) => (
          <>
            <p class={healthy ? 'note ok' : 'note problem'} role="status">
              <Icon name={healthy ? 'check' : 'warn'} /> {t(healthy ? 'doctor.healthy' : 'doctor.problems')}
            </p>
            {listed.some(isRepairable) && (
              <div class="stack">
                <p>{t('doctor.repair')}</p>
                <pre class="output">{REPAIR}</pre>
              </div>
            )}
            <ul class="cards">
              {listed.map((check, index) => (
                <li key={index} class={`card check ${check.state}`}>
                  <Icon name={STATES[check.state]} />
                  <div>
                    <strong>{wordText(check.name.replaceAll(' ', '-'))}</strong>{' '}
                    <span class="unseen">{wordText(check.state)}</span>
                    <p>{withLocalTimes(findingText(check, texts))}</p>
                    {check.fix !== undefined && (
                      <p>
                        <code>{fixText(check, texts)}</code>
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

type Check = Output<'doctor.check'>['checks'][number];

function isRepairable({ state, fix = '' }: Check): boolean {
  return state !== 'ok' && fix.startsWith('lainclaw doctor --fix');
}

/** In the language of the page; English is what the program says. */
function findingText({ finding: { code, values }, message }: Check, texts: DoctorTexts | undefined): string {
  const text = texts?.findings[code as keyof DoctorTexts['findings']];
  if (text === undefined) return message;
  const said = values.error === undefined ? undefined : errorText(String(values.error));
  return said === undefined ? filled(text, values) : `${said} (${message})`;
}

function fixText({ advice, fix }: Check, texts: DoctorTexts | undefined): string | undefined {
  const text = advice && texts?.fixes[advice.code as keyof DoctorTexts['fixes']];
  return text === undefined ? fix : filled(text, advice?.values ?? {});
}
