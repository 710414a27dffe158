// What the open platform's error codes mean for a message of ours: try again, give up, or correct the credentials.
import { ChannelError } from '../channel.ts';
import type { HttpAnswer } from './http.ts';

/** The platform's body: `code` 0 is success. */
export interface PlatformBody {
  code: number;
  msg: string;
  [field: string]: unknown;
}

/** The token has expired: get another and ask again. */
const TOKEN_CODES = new Set([99991661, 99991663, 99991664, 99991665, 99991668, 99991671, 99991677]);

/** App id or secret are wrong, or the app is disabled. */
const CREDENTIAL_CODES = new Set([10003, 10005, 10012, 10014, 10015, 99991543, 99991662]);

const RATE_CODES = new Set([99991400, 230020, 11232, 11233, 11247]);

/** Nothing is known, or nothing happened: asking again is right. */
const PASSING_CODES = new Set([1, 1500, 2200, 55001, 230049]);

/** The message that is answered is not there any more. */
const TARGET_GONE_CODES = new Set([230011, 230110, 230019, 231003]);

const PERMISSION_CODES = new Set([99991672, 230027]);

const CARD_REFUSED = 230099;

const ADVICE = new Map<number, string>([
  [230002, 'the bot is not in this chat: add it to the group'],
  [230006, 'the app has no bot: enable the bot under "Features" in the developer console and publish a version'],
  [230013, 'this person may not use the bot: widen its availability in the developer console'],
  [230018, 'the bot may not speak in this group: ask its administrator'],
  [230025, 'the message is too long'],
  [230027, 'the app lacks a permission: grant im:message:send_as_bot in the developer console'],
  [230028, 'the content was refused by an audit rule'],
  [230029, 'this person has left the organisation'],
  [230031, 'a message can be changed for 14 days only'],
  [230035, 'the bot may not write to this chat'],
  [230053, 'this person blocked the bot'],
  [99991672, 'the app lacks a permission: grant it in the developer console and publish a version'],
]);

const DEFAULT_WAIT_MS = 1_000;
const MAX_DETAIL = 300;

export function isTokenRefused({ code }: PlatformBody): boolean {
  return TOKEN_CODES.has(code);
}

export function areCredentialsRefused({ code }: PlatformBody): boolean {
  return CREDENTIAL_CODES.has(code);
}

/** The platform's refusal as an error that remembers its code. */
export class PlatformRefusal extends ChannelError {
  readonly platformCode: number;

  constructor(platformCode: number, ...rest: ConstructorParameters<typeof ChannelError>) {
    super(...rest);
    this.platformCode = platformCode;
  }

  get isTargetGone(): boolean {
    return TARGET_GONE_CODES.has(this.platformCode);
  }

  get isPermissionMissing(): boolean {
    return PERMISSION_CODES.has(this.platformCode);
  }

  get isCardRefused(): boolean {
    return this.platformCode === CARD_REFUSED;
  }
}

export function refusalOf(answer: HttpAnswer, body: PlatformBody | undefined, doing: string): ChannelError {
  const code = body?.code ?? 0;
  if (answer.status === 429 || RATE_CODES.has(code)) {
    return new PlatformRefusal(code, 'rate-limited', `${doing}: Feishu limits the rate`, {
      retryAfterMs: resetAfterMs(answer),
    });
  }
  if (!body || answer.status >= 500 || PASSING_CODES.has(code))
    return new PlatformRefusal(code, 'unknown-outcome', `${doing}: Feishu answered ${answer.status}${detailOf(body)}`);
  if (TOKEN_CODES.has(code) || CREDENTIAL_CODES.has(code)) {
    return new PlatformRefusal(
      code,
      'auth',
      `${doing}: Feishu does not accept the app's credentials${detailOf(body)}; check appId and appSecret`,
    );
  }
  const advice = ADVICE.get(code);
  return new PlatformRefusal(
    code,
    'rejected',
    `${doing}: ${advice ? `${advice}${detailOf(body)}` : `Feishu refused${detailOf(body)}`}`,
  );
}

function detailOf(body: PlatformBody | undefined): string {
  return body ? ` (${body.code}: ${body.msg.slice(0, MAX_DETAIL)})` : '';
}

function resetAfterMs(answer: HttpAnswer): number {
  const seconds = Number(answer.header('x-ogw-ratelimit-reset') ?? answer.header('retry-after'));
  return Number.isFinite(seconds) && seconds > 0 ? Math.ceil(seconds * 1_000) : DEFAULT_WAIT_MS;
}
