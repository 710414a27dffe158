// What is not an operation: asking something, sending files, and who is signed in.
import { post, request } from './call.ts';

export interface AskedTurn {
  session: string;
  turn: string;
}

export interface TurnRequest {
  session?: string;
  text: string;
  files?: readonly string[];
  mode?: string;
  model?: string;
}

export interface Me {
  person: { id: string; name: string };
  role: 'owner' | 'person';
  version: string;
  sessionId?: string;
}

/** Resolves as soon as the turn is accepted; what becomes of it is on the stream. */
export async function startTurn(asked: TurnRequest): Promise<AskedTurn> {
  return (await post('api/turns', asked)) as AskedTurn;
}

export interface UploadedFile {
  id: string;
  name: string;
}

export async function upload(file: File): Promise<UploadedFile> {
  const headers = { 'content-type': 'application/octet-stream' };
  const sent = await request(`api/uploads?name=${encodeURIComponent(file.name)}`, {
    method: 'POST',
    headers,
    body: file,
  });
  return sent as UploadedFile;
}

export async function readMe(): Promise<Me> {
  return (await request('api/me', {})) as Me;
}

/** What a turn that runs, or has ended lately, told so far. */
export async function readTurnEvents(id: string): Promise<({ type: string; n: number } & Record<string, unknown>)[]> {
  const told = await request(`api/turns/${encodeURIComponent(id)}/events`, {});
  return (told as { events: ({ type: string; n: number } & Record<string, unknown>)[] }).events;
}

/** A picture that was sent with a question, or that a tool made. */
export function pictureAddress(session: string, path: string): string {
  return `api/attachments?${new URLSearchParams({ session, path })}`;
}
