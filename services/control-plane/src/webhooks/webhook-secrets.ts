import { randomBytes } from 'node:crypto';
import { type CredentialSeal, randomBase62 } from '@model-gateway/shared';
import { openAny } from '../credentials/list-credentials.ts';
import type { NewSealedRow, SealedRow } from '../credentials/stored-credential-store.ts';

/** 32 random bytes, as Standard Webhooks writes secrets. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

export interface NewWebhookSecret {
  name: string;
  rows: NewSealedRow[];
}

/** Encrypts a secret with the current pepper and, while it is replaced, with the previous one. */
export function sealWebhookSecret(
  seals: readonly CredentialSeal[],
  webhookId: string,
  secret: string,
): NewWebhookSecret {
  const name = `${webhookId}/${randomBase62(8)}`;
  const rows = seals.map((seal) => ({
    pepperFingerprint: seal.fingerprint,
    sealed: seal.seal(name, secret),
  }));
  return { name, rows };
}

/** Returns the secrets that can be opened: the current one first. @param rows newest first */
export function openWebhookSecrets(
  seals: readonly CredentialSeal[],
  rows: readonly Omit<SealedRow, 'setAt'>[],
): string[] {
  return [...new Set(rows.map(({ name }) => name))].flatMap(
    (name) =>
      openAny(
        seals,
        rows.filter((row) => row.name === name),
      ) ?? [],
  );
}
