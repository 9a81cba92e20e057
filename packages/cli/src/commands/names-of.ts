import { type ControlPlaneCalls, GrpcStatus, grpcStatus } from '@model-gateway/contracts';
import { CALL_DEADLINE_MS } from '../run-command.ts';

/** As many as the control plane takes; the others stay ids. */
const MAX_IDS = 1_000;

/** Returns what people call the thing with an id; the id itself when its name is not known. */
export type NameOf = (id: string) => string;

/** Asks for the names of ids, for the texts of a command; an earlier release knows none. */
export async function namesOf(
  client: ControlPlaneCalls,
  ids: readonly (string | null | undefined)[],
): Promise<NameOf> {
  const known = [...new Set(ids)].filter((id): id is string => Boolean(id)).slice(0, MAX_IDS);
  try {
    const { names } = await client.call(CALL_DEADLINE_MS, 'admin', 'getNames', { ids: known });
    return (id) => names[id] ?? id;
  } catch (error) {
  XX
    return (id) => id;
  }
}
