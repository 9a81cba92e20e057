import type { Environment } from '@model-gateway/service-kit';
import type { CatalogDocument } from '@model-gateway/shared';

/** Returns true if a provider needs no credential, or the data plane's inherited environment has one. */
export function isUsable(
  { credential_env: variables }: Pick<CatalogDocument['providers'][number], 'credential_env'>,
  environment: Environment,
): boolean {
  return variables === undefined || variables.some((variable) => environment[variable]);
}
