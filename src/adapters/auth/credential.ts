// The contract of signing in, as an adapter sees it: a credential that is fresh now, or the failure to show.
import type { ModelFailure } from '../adapter.ts';

export type Credential =
  | { ok: true; kind: 'oauth' | 'api-key'; secret: string; profileId?: string; accountId?: string }
  /** The provider wants none. */
  | { ok: true; kind: 'none'; secret?: undefined; profileId?: string; accountId?: undefined }
  | { ok: false; failure: ModelFailure };

export interface CredentialRequest {
  /** The active profile, or the environment's key, when absent. */
  profileId?: string;
  /** Where it will be sent: a key stored for another server is not given out. */
  baseUrl?: string;
  /** A secret the provider did not accept although it looked fresh. */
  rejected?: string;
  signal?: AbortSignal;
}

export interface CredentialSource {
  /** Never throws. */
  credential(provider: string, request?: CredentialRequest): Promise<Credential>;
  /** The profile a request would use; undefined when the key is the environment's, or there is none. */
  profileFor(provider: string, request?: CredentialRequest): Promise<string | undefined>;
  /** The address stored with the sign-in that a request would use. Never throws. */
  baseUrlFor(provider: string, profileId?: string): Promise<string | undefined>;
}
