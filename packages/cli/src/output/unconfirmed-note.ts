import type { CommandResult } from '../run-command.ts';

/** The lease of 3.5 s, and 30 s after which a lost data plane serves nothing (watcher-store.ts). */
const GONE_AFTER_MS = 33_500;

/**
 * Returns the note for a change that some data planes have not confirmed.
 * @param may what such a data plane may still do
 * @returns undefined when all have confirmed
 */
export function unconfirmedNote(instances: readonly string[], may: string): string | undefined {
  if (instances.length === 0) return undefined;
  const end = new Date(Date.now() + GONE_AFTER_MS).toISOString().slice(11, 19);
  return (
    `NOT YET CONFIRMED: ${instances.length} data plane(s) did not answer and may ${may} ` +
    `until they notice: ${instances.join(', ')}. One that has died or is cut off serves nothing after ` +
    `${end} UTC at the latest; "gatewayctl status" says which one that is.`
  );
}

interface ConfirmedChange {
  json: object;
  /** The text without line break. It is followed by `done` when every data plane has confirmed. */
  text: string;
  done?: string;
  unconfirmed: readonly string[];
  may: string;
}

/** Returns the result of a change. The text calls it done only if all data planes have confirmed it. */
export function confirmedResult({ json, text, done = '', unconfirmed, may }: ConfirmedChange): CommandResult {
  const note = unconfirmedNote(unconfirmed, may);
  return {
    json: { ...json, unconfirmed_instances: unconfirmed },
    text: `${text}${note === undefined ? done : ''}\n`,
    note,
  };
}

/** Returns the end of a text about keys that were just stopped or revoked. */
export function refusedEverywhere(keyIds: readonly string[]): string {
  return keyIds.length === 0 ? '' : '; refused everywhere from now on';
}

/** Returns `["revoked key_1, key_2"]`, or nothing when there are no ids. */
export function listedIds(verb: string, ids: readonly string[]): string[] {
  return ids.length === 0 ? [] : [`${verb} ${ids.join(', ')}`];
}
