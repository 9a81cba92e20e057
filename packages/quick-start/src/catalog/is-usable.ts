import type { Environment } from '@model-gateway/service-kit';
import type { CatalogDocument } from '@model-gateway/shared';

/** Returns true if the environment has a key of a provider, which the data plane inherits. */
export function isUsable(
  { credential_env: variables }: Pick<CatalogDocument['providers'][number], 'credential_env'>,
  environment: Environment,
): boolean {
  return variables === undefined || variables.some((variable) => environment[variable]);
}
