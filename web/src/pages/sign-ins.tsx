// Who is signed in to which provider.
import { call } from '../api/call.ts';
import { t } from '../language/language.ts';
import { Icon } from '../parts/icon.tsx';
import { WhenLoaded } from '../parts/page.tsx';
import { attempt } from '../parts/toast.tsx';
import { useLoaded } from '../parts/use-loaded.ts';
import { hrefOf } from '../router.ts';
import { ChatGptSignIn } from './chatgpt-sign-in.tsx';

export function SignIns() {
  const signIns = useLoaded((abort) => call('sign-in.list', {}, abort), []);
  const act = async (work: () => Promise<unknown>): Promise<void> => {
    await attempt(work);
    signIns.reload();
  };
  return (
    <section aria-labelledby="sign-ins">
      <h2 id="sign-ins">{t('signIns.title')}</h2>
      <WhenLoaded of={signIns}>
        {({ profiles, environment }) => (
          <ul class="lines">
            {profiles.length === 0 && environment.length === 0 && (
              <li>
                {t('signIns.none')} <a href={hrefOf('setup')}>{t('home.setUp')}</a>
              </li>
            )}
            {profiles.map(({ profileId, provider, kind, active, email, key, expired }) => (
              <li key={profileId} class="row wrap">
                <strong>{provider}</strong> {profileId} <span class="quiet">{email ?? key ?? kind}</span>
                {active && <span class="state ok">{t('signIns.active')}</span>}
                {expired && <span class="state failed">{t('signIns.expired')}</span>}
                <span class="grow" />
                {!active && (
                  <button
                    type="button"
                    class="button small"
                    onClick={() => act(() => call('sign-in.use', { profile: profileId }))}
                  >
                    {t('signIns.use')}
                  </button>
                )}
                <button
                  type="button"
                  class="icon-button"
                  aria-label={t('signIns.remove', { profile: profileId })}
                  onClick={() => act(() => call('sign-in.remove', { profile: profileId }))}
                >
                  <Icon name="trash" />
                </button>
              </li>
            ))}
            {environment.map(({ provider, variable, key }) => (
              <li key={variable}>
                <strong>{provider}</strong> {variable} <span class="quiet">{key}</span>
              </li>
            ))}
          </ul>
        )}
      </WhenLoaded>
      <ChatGptSignIn onSignedIn={signIns.reload} />
    </section>
  );
}
