import { type ControlPlaneCalls, GrpcStatus, grpcStatus } from '@model-gateway/contracts';
import { CALL_DEADLINE_MS } from '../run-command.ts';

/** As many as the control plane takes; the others stay ids. */
const MAX_IDS = 1_000;

/**
 * An earlier release does not know the method; an admin key may lack its scope, or be bound to an account.
 */
const WITHOUT_NAMES: ReadonlySet<GrpcStatus | undefined> = new Set([
  GrpcStatus.UNIMPLEMENTED,
  GrpcStatus.PERMISSION_DENIED,
]);

/** Returns what people call the thing with an id; the id itself when its name is not known. */
export type NameOf = (id: string) => string;

/** Asks for the names of ids, for the texts of a command. Without an answer, ids stay ids. */
export async function namesOf(
  client: ControlPlaneCalls,
  ids: readonly (string | null | undefined)[],
): Promise<NameOf> {
  const known = [...new Set(ids)].filter((id): id is string => Boolean(id)).slice(0, MAX_IDS);
  try {
    const { names } = await client.call(CALL_DEADLINE_MS, 'admin', 'getNames', { ids: known });
    return (id) => names[id] ?? id;
  } catch (error) {
    if (!WITHOUT_NAMES.has(grpcStatus(error))) throw error;
    return (id) => id;
  }
}
