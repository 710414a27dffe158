// The doctor: what works, what does not, and the command that repairs it.
import { useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import type { Output } from '../api/operations.ts';
import { type DoctorTexts, doctorTexts } from '../language/doctor/doctor-texts.ts';
import { errorText } from '../language/errors/error-texts.ts';
import { filled } from '../language/filled.ts';
import { language, t, wordText } from '../language/language.ts';
import { ConfirmDialog } from '../parts/dialog.tsx';
import { Icon } from '../parts/icon.tsx';
import { Page, WhenLoaded } from '../parts/page.tsx';
import { attempt } from '../parts/toast.tsx';
import { useLoaded } from '../parts/use-loaded.ts';

const STATES = { ok: 'check', advice: 'bell', problem: 'warn' } as const;

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
            {!healthy && <Repair texts={texts} onDone={checks.reload} />}
            <ul class="cards">
              {listed.map((check, index) => (
                <li key={index} class={`card check ${check.state}`}>
                  <Icon name={STATES[check.state]} />
                  <div>
                    <strong>{wordText(check.name.replaceAll(' ', '-'))}</strong>{' '}
                    <span class="unseen">{wordText(check.state)}</span>
                    <p>{findingText(check, texts)}</p>
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

type RepairedFile = Output<'doctor.repair'>['repaired'][number];

function repairText({ steps, done }: RepairedFile, texts: DoctorTexts | undefined): string {
  if (!texts) return done;
  return steps
    .map(({ code, values }) => filled(texts.repairs[code as keyof DoctorTexts['repairs']], values))
    .join('; ');
}

/** Damaged files only; what is replaced is kept. */
function Repair({ texts, onDone }: { texts: DoctorTexts | undefined; onDone(): void }) {
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
          {report.repaired.map((file) => (
            <li key={file.path}>
              <code>{file.path}</code> {repairText(file, texts)}
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
