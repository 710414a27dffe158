/** For the owner, in the log and the status; chats get one neutral sentence. */
export const NO_MODEL_ADVICE =
  'no model is connected: sign in (lainclaw auth login openai-codex), or name a provider (lainclaw config set provider …)';
