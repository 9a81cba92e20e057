import { alreadyExists } from '../errors/control-plane-error.ts';
import { isUniqueViolation } from './unique-violation.ts';

/**
 * Runs a change that may set an external id.
 * @param what the kind of the object: `key`
 * @throws ControlPlaneError already_exists (another object has the external id)
 */
export async function refuseDuplicates<Result>(
  what: string,
  externalId: string | null | undefined,
  change: () => Promise<Result>,
): Promise<Result> {
  try {
    return await change();
  } catch (error) {
    if (externalId == null || !isUniqueViolation(error)) throw error;
    throw alreadyExists(`there is a ${what} with the external_id ${externalId}`);
  }
}
