import type { BackgroundNote } from '../../providers/background-note.ts';
import type { JsonObject } from '../../translation/json-object.ts';
import type { WorkedOn } from '../../upstream/capability-call.ts';

/** Statuses of a response that its provider works on, or will. */
const UNDER_WAY: ReadonlySet<unknown> = new Set(['queued', 'in_progress']);

/** What is known of the one response to a request that runs in the background. */
export class BackgroundWork implements BackgroundNote {
  #workedOn: WorkedOn | undefined;

  /** Undefined: it has ended, or there is none. */
  get workedOn(): WorkedOn | undefined {
    return this.#workedOn;
  }

  note(providerId: string, { id, status }: JsonObject): void {
    const isWorkedOn = typeof id === 'string' && UNDER_WAY.has(status);
    this.#workedOn = isWorkedOn ? { providerId, responseId: id } : undefined;
  }
}
