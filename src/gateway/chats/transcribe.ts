// What is said in a voice message, by a server in OpenAI's protocol (`POST <address>/audio/transcriptions`).

/** Rejects with why there is no text. */
export type Transcribe = (recording: { bytes: Buffer; name: string }, signal: AbortSignal) => Promise<string>;

export interface TranscriberOptions {
  /** With its version: https://api.openai.com/v1. */
  baseUrl: string;
  model: string;
  /** Absent: the server asks for none. */
  key?: string;
}

const PATIENCE_MS = 120_000;
const LONGEST_TEXT = 50_000;

export function createTranscriber({ baseUrl, model, key }: TranscriberOptions): Transcribe {
  return async ({ bytes, name }, signal) => {
    const form = new FormData();
    form.set('model', model);
    form.set('response_format', 'json');
    form.set('file', new Blob([new Uint8Array(bytes)]), acceptedName(name));
    const response = await fetch(`${baseUrl.replace(/\/+$/, '')}/audio/transcriptions`, {
      method: 'POST',
      headers: key ? { authorization: `Bearer ${key}` } : {},
      body: form,
      // A redirect could carry the recording and the key elsewhere.
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]),
    });
    if (!response.ok) throw new Error(`the transcription server answered ${response.status}`);
    const { text } = (await response.json()) as { text?: unknown };
    if (typeof text !== 'string') throw new Error('the transcription server answered without a text');
    return text.trim().slice(0, LONGEST_TEXT);
  };
}

/** Servers go by the ending, and know this recording by another one. */
function acceptedName(name: string): string {
  return name.replace(/\.(?:oga|opus)$/i, '.ogg');
}
