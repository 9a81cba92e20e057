import type { CredentialSeal } from '@model-gateway/shared';
import type { WebhookSecretStore } from '../webhooks/webhook-secret-store.ts';
import { openAny } from './list-credentials.ts';
import type { SealedRow, StoredCredentialStore } from './stored-credential-store.ts';

export interface RenewSealsContext {
  /** The seal of the current pepper is first. */
  credentialSeals: readonly CredentialSeal[];
  storedCredentialStore: Pick<StoredCredentialStore, 'list' | 'renew'>;
  webhookSecretStore: Pick<WebhookSecretStore, 'hasOnly' | 'renew'>;
}

/**
 * Seals stored credentials, and secrets of webhooks, also with the new pepper while one is replaced: other
 * services may have either. Afterwards, deletes the seals of the previous pepper. Keeps values that the
 * current pepper does not open.
 */
export async function renewSeals(context: RenewSealsContext): Promise<void> {
  const { credentialSeals: seals, storedCredentialStore, webhookSecretStore } = context;
  const [current] = seals;
  if (current === undefined) return;
  const renew = (rows: readonly SealedRow[]) => renewRows(seals, current, rows);
  if ((await storedCredentialStore.list()).some((row) => row.pepperFingerprint !== current.fingerprint))
    await storedCredentialStore.renew(renew);
  if (!(await webhookSecretStore.hasOnly(current.fingerprint))) await webhookSecretStore.renew(renew);
}

function renewRows(seals: readonly CredentialSeal[], current: CredentialSeal, rows: readonly SealedRow[]) {
  const isCurrent = (row: SealedRow) => row.pepperFingerprint === current.fingerprint;
  const renewed = new Set(rows.filter(isCurrent).map(({ name }) => name));
  if (seals.length === 1) {
    return { add: [], forget: rows.filter((row) => !isCurrent(row) && renewed.has(row.name)) };
  }
  const add = rows
    .filter(({ name }) => !renewed.has(name))
    .flatMap((row) => {
      const value = openAny(seals, [row]);
      if (value === undefined) return [];
      const sealed = current.seal(row.name, value);
      return { ...row, pepperFingerprint: current.fingerprint, sealed };
    });
  return { add, forget: [] };
}
