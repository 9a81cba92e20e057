import { GrpcStatus, grpcStatus } from '@model-gateway/contracts';
import type { ApplyRun } from './apply-run.ts';

/**
 * Creates an object that has a secret, and writes the secret into the file. If this process ends before it has
 * written it, the next run finds a note and gives the object a new secret.
 * @param name in the file of secrets
 * @param create returns the secret
 */
export async function createWithSecret(
  { secrets }: Pick<ApplyRun, 'secrets'>,
  name: string,
  create: () => Promise<string>,
): Promise<void> {
  await secrets?.begin(name);
  try {
    await secrets?.put(name, await create());
  } catch (error) {
    if (isRefusal(error)) await secrets?.forget(name);
    throw error;
  }
}

/** Returns true if the gateway has certainly created nothing. */
function isRefusal(error: unknown): boolean {
  const status = grpcStatus(error);
  return status !== undefined && status !== GrpcStatus.UNAVAILABLE && status !== GrpcStatus.DEADLINE_EXCEEDED;
}
