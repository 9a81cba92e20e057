import type { ControlPlaneCalls } from '@model-gateway/contracts';
import { z } from 'zod';
import { CommandFailure } from '../command-failure.ts';
import type { SecretsFile } from './secrets-file.ts';

/** A member of an object that is not as in the file. */
export interface Difference {
  /** Such as `limits.free_per_minute`. */
  field: string;
  /** In the gateway. */
  from: unknown;
  /** In the file. */
  to: unknown;
}

export interface Change {
  /** `change`: the object exists, and was changed by hand or in the file. */
  action: 'create' | 'change' | 'remove';
  /** Such as `key ci of ada@example.com`. */
  object: string;
  differences: Difference[];
}

/** One pass over a file: it reports what is not as in the file, and makes it so unless it only plans. */
export interface ApplyRun {
  client: ControlPlaneCalls;
  isPlan: boolean;
  /** Removes what the lists of the file do not name. */
  prunes: boolean;
  /** Where secrets of new keys go; undefined: nowhere, so that keys can only be planned. */
  secrets: SecretsFile | undefined;
  changes: Change[];
  /** Objects that are as in the file. */
  unchanged: number;
  /** Data planes that did not confirm a change in time. */
  unconfirmed: Set<string>;
}

const confirmation = z.object({ unconfirmedInstances: z.array(z.string()) });

/** Reports a change, and makes it unless this is a plan. @returns undefined in a plan */
export async function make<Made>(
  run: ApplyRun,
  change: Pick<Change, 'action' | 'object'> & { differences?: Difference[] },
  act: () => Promise<Made>,
): Promise<Made | undefined> {
  const made = run.isPlan ? undefined : await act();
  run.changes.push({ differences: [], ...change });
  for (const instance of confirmation.safeParse(made).data?.unconfirmedInstances ?? [])
    run.unconfirmed.add(instance);
  return made;
}

/** Changes an object if it is not as in the file. */
export async function settle(
  run: ApplyRun,
  object: string,
  differences: Difference[],
  act: () => Promise<unknown>,
): Promise<void> {
  if (differences.length === 0) run.unchanged += 1;
  else await make(run, { action: 'change', object, differences }, act);
}

/**
 * Finds the object of a name.
 * @param object names it in the error
 * @throws CommandFailure if there are several
 */
export function findNamed<Named extends { name: string }>(
  all: readonly Named[],
  name: string,
  object: string,
): Named | undefined {
  const found = all.filter((each) => each.name === name);
  if (found.length > 1) throw new CommandFailure([`${object}: there are ${found.length} of this name`]);
  return found[0];
}

/** @param wanted undefined: the file leaves it out */
export function difference<Value>(
  field: string,
  from: Value,
  wanted: Value | undefined,
  isSame: (from: Value, wanted: Value) => boolean = Object.is,
): Difference[] {
  return wanted === undefined || isSame(from, wanted) ? [] : [{ field, from, to: wanted }];
}
