import type { ProviderReportStore } from '../provider-reports/provider-report-store.ts';
import { type CredentialResource, credentialResource } from './credential-resource.ts';
import type { CredentialStore } from './credential-store.ts';
import { listCredentials, type StoredCredentialContext } from './list-credentials.ts';

export interface ReadCredentialsContext extends StoredCredentialContext {
  credentialStore: CredentialStore;
  providerReportStore: Pick<ProviderReportStore, 'read'>;
}

/** Reads the credentials of the catalog and the stored ones, by name, without their values. */
export async function readCredentials(context: ReadCredentialsContext): Promise<CredentialResource[]> {
  const [{ credentials }, reports] = await Promise.all([
    listCredentials(context),
    context.providerReportStore.read(),
  ]);
  const settings = await context.credentialStore.replies(credentials.map(({ name }) => name));
  return credentials.map((each) => credentialResource(each, settings, reports));
}
