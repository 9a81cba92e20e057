import type { ControlPlaneCalls } from '@model-gateway/contracts';
import { z } from 'zod';
import { CommandFailure } from '../command-failure.ts';
import type { SecretsFile } from './secrets-file.ts';

/** A member of an object that is not as in the file. */
export interface Difference {
  /** Such as `free_per_minute` or `rules.models`. */
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

/** One pass over a file: reports the differences from the gateway and, unless it is a plan, applies them. */
export interface ApplyRun {
  client: ControlPlaneCalls;
  isPlan: boolean;
  /** True: removes what the lists of the file do not name. */
  prunes: boolean;
  /** File for the secrets of new keys; undefined: none, so that keys can only be planned. */
  secrets: SecretsFile | undefined;
  changes: Change[];
  /** Objects that are as in the file. */
  unchanged: number;
  /** Data planes that did not confirm a change in time. */
  unconfirmed: Set<string>;
}

const confirmation = z.object({ unconfirmedInstances: z.array(z.string()) });

/** Reports a change, and makes it unless this is a plan. @returns undefined in a plan */
export async function applyChange<Made>(
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
export async function applyDifferences(
  run: ApplyRun,
  object: string,
  differences: Difference[],
  act: () => Promise<unknown>,
): Promise<void> {
  if (differences.length === 0) run.unchanged += 1;
  else await applyChange(run, { action: 'change', object, differences }, act);
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
  if (found.length > 1) throw ambiguousName(object, found.length);
  return found[0];
}

/** Compares one field. @param wanted undefined: the file leaves it out @returns one difference or none */
export function compareField<Value>(
  field: string,
  from: Value,
  wanted: Value | undefined,
  isSame: (from: Value, wanted: Value) => boolean = Object.is,
): Difference[] {
  return wanted === undefined || isSame(from, wanted) ? [] : [{ field, from, to: wanted }];
}

/** Returns the failure for a name of several objects. @param object such as `key ci of ada@example.com` */
function ambiguousName(object: string, count: number): CommandFailure {
  return new CommandFailure([`${object}: ${count} have this name; rename or remove all but one`]);
}
