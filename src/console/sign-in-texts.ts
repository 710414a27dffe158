// The words of the sign-in page, in the languages of the console. `{name}` is replaced; a key in capitals is the code of a refusal.
import type { Language } from '../config/settings.ts';

const en = {
  title: 'Sign in · Lainclaw',
  signIn: 'Sign in',
  notSignedIn: 'You are not signed in on this browser.',
  runUp: 'Run {command} in a terminal: it opens a link that signs you in.',
  password: 'Password',
  asOwner: 'This link signs this browser in as the owner.',
  asPerson: 'This link signs this browser in as {name}. The owner can read what you write.',
  away: 'The gateway does not answer.',
  LINK_INVALID:
    'This link was used before, or has expired. "lainclaw up" opens a new one; if you were invited, ask the owner for a new one.',
  WRONG_PASSWORD: 'This is not the password. The link of "lainclaw up" signs in without it.',
  TOO_MANY_ATTEMPTS: 'Too many wrong attempts came from this address. Wait a little, then try again.',
};

export type SignInText = keyof typeof en;

const zh: Record<SignInText, string> = {
  title: '登录 · Lainclaw',
  signIn: '登录',
  notSignedIn: '此浏览器尚未登录。',
  runUp: '请在终端运行 {command}：它会打开一个登录链接。',
  password: '密码',
  asOwner: '此链接让这个浏览器以所有者身份登录。',
  asPerson: '此链接让这个浏览器以 {name} 的身份登录。所有者可以看到您写的内容。',
  away: '网关没有响应。',
  LINK_INVALID: '此链接已被使用或已过期。“lainclaw up”会打开新的链接；如果您是受邀者，请向所有者索取新链接。',
  WRONG_PASSWORD: '密码不正确。也可以用“lainclaw up”的链接登录，无需密码。',
  TOO_MANY_ATTEMPTS: '来自此地址的错误尝试过多。请稍候再试。',
};

const ru: Record<SignInText, string> = {
  title: 'Вход · Lainclaw',
  signIn: 'Войти',
  notSignedIn: 'В этом браузере вход не выполнен.',
  runUp: 'Выполните {command} в терминале: откроется ссылка для входа.',
  password: 'Пароль',
  asOwner: 'По этой ссылке браузер войдёт как владелец.',
  asPerson: 'По этой ссылке браузер войдёт как {name}. Владелец может читать то, что вы пишете.',
  away: 'Шлюз не отвечает.',
  LINK_INVALID:
    'Ссылка уже использована или устарела. Команда «lainclaw up» откроет новую; если вас пригласили, попросите новую у владельца.',
  WRONG_PASSWORD: 'Пароль неверный. По ссылке из «lainclaw up» можно войти и без него.',
  TOO_MANY_ATTEMPTS: 'С этого адреса было слишком много неверных попыток. Подождите немного и попробуйте снова.',
};

export const SIGN_IN_TEXTS: Record<Language, Record<SignInText, string>> = { en, zh, ru };
