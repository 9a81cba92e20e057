import { setTimeout as wait } from 'node:timers/promises';
import { type Logger, listeningMs } from '@model-gateway/service-kit';
import type { CatalogDocument } from '@model-gateway/shared';
import type { CredentialStore } from './credential-store.ts';
import { type DescribedCredential, describeCredentials } from './describe-credentials.ts';

/** A data plane answers from memory, at once. One of an earlier release never answers. */
const MAX_WAIT_MS = 3_000;
const POLL_MS = 25;

/**
 * Asks the running data planes about the credentials that a document names, also when the document is not in
 * force.
 * @returns the credentials that a data plane lacks, or that no data plane is known to have. Never throws,
 *   because the document may already be applied: when nobody can be asked, the result is empty
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
