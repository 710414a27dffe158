import { expect, it, onTestFinished, vi } from 'vitest';
import { errorText, loadErrorTexts } from './errors/error-texts.ts';
import { chooseLanguage, language, t } from './language.ts';

const slow = vi.hoisted(() => ({ words: Promise.withResolvers<void>(), errors: Promise.withResolvers<void>() }));
vi.mock('./zh.ts', async (original) => {
  await slow.words.promise;
  return original();
});
vi.mock('./errors/errors-zh.ts', async (original) => {
  await slow.errors.promise;
  return original();
});

it('the language that was chosen last stays, also when the words of an earlier one come later', async () => {
  onTestFinished(() => void vi.unstubAllGlobals());
  const documentElement = { lang: '' };
  vi.stubGlobal('document', { documentElement });
  vi.stubGlobal('localStorage', { setItem() {} });
  const chinese = chooseLanguage('zh');
  await chooseLanguage('ru');
  const russian = t('cancel');
  slow.words.resolve();
  await chinese;
  expect([language.value, documentElement.lang, t('cancel')]).toEqual(['ru', 'ru', russian]);
});

it('so do the texts of errors', async () => {
  const chinese = loadErrorTexts('zh');
  await loadErrorTexts('en');
  slow.errors.resolve();
  await chinese;
  expect(errorText('TURN_UNKNOWN')).toBeUndefined();
});
