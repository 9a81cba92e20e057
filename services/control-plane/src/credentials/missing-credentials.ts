import { setTimeout as wait } from 'node:timers/promises';
import { type Logger, listeningMs } from '@model-gateway/service-kit';
import type { CatalogDocument } from '@model-gateway/shared';
import type { CredentialStore } from './credential-store.ts';
import { type DescribedCredential, describeCredentials } from './describe-credentials.ts';

/** Data planes reply from memory. */
const MAX_WAIT_MS = 3_000;
const POLL_MS = 25;

/**
 * Asks the running data planes about a document's credentials, in force or not.
 * @returns credentials that a data plane lacks or none is known to have; empty when nobody can be asked.
 *   Never throws, because the document may already be applied
 */
export async function missingCredentials(
  { credentialStore, log }: { credentialStore: CredentialStore; log: Logger },
  document: CatalogDocument,
): Promise<DescribedCredential[]> {
  const variables = [...new Set(document.providers.flatMap((provider) => provider.credential_env ?? []))];
  if (variables.length === 0) return [];
  try {
    await credentialStore.ask(variables);
    const deadlineMs = listeningMs() + MAX_WAIT_MS;
    while ((await credentialStore.isOpen(variables)) && listeningMs() < deadlineMs) await wait(POLL_MS);
    const described = await describeCredentials(document, credentialStore);
    return described.filter(({ setIn, missingIn }) => setIn === 0 || missingIn > 0);
  } catch (error) {
    log.warn({ error }, 'data planes could not be asked which credentials they have');
    return [];
  }
}
