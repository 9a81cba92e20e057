import { inBackground, type Logger } from '@model-gateway/service-kit';
import type { Actor } from '../actors/actor.ts';
import type { AppendedEvent, EventActor } from './append-event-store.ts';
import { AttemptLimits } from './attempt-limits.ts';
import type { AttemptStore } from './attempt-store.ts';
import { AttemptSummary } from './attempt-summary.ts';
import { describeActor } from './describe-actor.ts';

/** Refused call. */
export interface DeniedAttempt {
  /** Authenticated caller, or the identity that an unauthenticated one claims. */
  actor: Actor | Pick<EventActor, 'type' | 'id' | 'email'>;
  way: Actor['way'];
  /** Action of the refused change, such as `api_key.created`; `call.denied` if it is not known. */
  action: string;
  object: { type: string; id: string; name: string };
  accountId: string | null;
  ip: string | undefined;
  requestId: string | undefined;
}

interface AttemptEvent extends AppendedEvent {
  /** Id of an authenticated caller; undefined: not authenticated. */
  provenId: string | undefined;
}

const SYSTEM = 'system';
/** Maximum of concurrent writes. Attempts beyond it are only counted. */
const MAX_WRITING = 100;
/** Maximum length of ids and names that a refused caller chose. */
const MAX_LENGTH = 200;

/**
 * Writes sign-ins and denied attempts to the audit log, bounded per address and account. Attempts beyond the
 * bound are counted into one event a minute.
 */
export class Attempts {
  readonly #store: Pick<AttemptStore, 'append'>;
  readonly #log: Logger;
  readonly #limits: AttemptLimits;
  readonly #writing = new Set<Promise<void>>();
  #summary = new AttemptSummary();

  constructor(store: Pick<AttemptStore, 'append'>, log: Logger, nowMs: () => number = () => Date.now()) {
    this.#store = store;
    this.#log = log;
    this.#limits = new AttemptLimits(nowMs);
  }

  /** Notes a refused call, in the background. Never throws. */
  note({ actor, way, action, object, accountId, ip, requestId }: DeniedAttempt): void {
    const isProven = 'way' in actor;
    const { type, id, email } = isProven ? describeActor(actor) : actor;
    const event = {
      actor: { type, id, email, ip: ip ?? null },
      ...{ way, action, accountId, requestId: requestId === undefined ? null : bounded(requestId) },
      object: { type: object.type, id: bounded(object.id), name: bounded(object.name) },
      ...{ before: null, after: null, outcome: 'denied' as const },
    };
    inBackground(this.record({ ...event, provenId: isProven ? `${type} ${id}` : undefined }));
  }

  /** Returns false if an attempt like this one would only be counted. */
  hasRoom({ actor, accountId, provenId }: Pick<AttemptEvent, 'actor' | 'accountId' | 'provenId'>): boolean {
    return this.#limits.hasRoom({ ip: actor.ip ?? undefined, accountId, provenId });
  }

  /** Writes an event, or counts it. Resolves when it is stored; never rejects. */
  async record({ provenId, ...event }: AttemptEvent): Promise<void> {
    const { accountId, action, actor } = event;
    const attempt = { ip: actor.ip ?? undefined, accountId, provenId };
    if (this.#writing.size >= MAX_WRITING || !this.#limits.hasRoom(attempt)) {
      return this.#summary.add({ ...attempt, action });
    }
    this.#limits.take(attempt);
    const written = this.#store.append(event).catch((error: unknown) => {
      this.#log.warn({ error, action }, 'cannot write an attempt to the audit log; it is only counted');
      this.#summary.add({ ...attempt, action });
    });
    this.#writing.add(written);
    await written;
    this.#writing.delete(written);
  }

  /** Writes one event with the attempts that were only counted since the last call. */
  async summarize(): Promise<void> {
    const after = this.#summary.describe();
    if (after === undefined) return;
    this.#summary = new AttemptSummary();
    try {
      await this.#store.append({
        actor: { type: SYSTEM, id: null, email: null, ip: null },
        way: SYSTEM,
        action: 'attempts.summarized',
        object: { type: 'audit_log', id: '', name: '' },
        accountId: null,
        before: null,
        after,
        requestId: null,
        outcome: 'denied',
      });
    } catch (error) {
      this.#log.warn({ error, attempts: after }, 'cannot write the count of attempts to the audit log');
    }
  }

  /** Waits for running writes, and writes the last count. */
  async close(): Promise<void> {
    await Promise.all(this.#writing);
    await this.summarize();
  }
}

/** Shortens a text that a caller chose, and replaces characters that JSON columns cannot hold. */
function bounded(text: string): string {
  return text
    .slice(0, MAX_LENGTH)
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, '\u{fffd}');
}
