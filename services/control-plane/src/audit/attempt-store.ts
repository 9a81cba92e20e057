import { PrismaStore } from '../database/prisma-store.ts';
import { type AppendedEvent, appendEvent } from './append-event-store.ts';

export class AttemptStore extends PrismaStore {
  /** Appends an event without a change, such as a denied attempt. */
  async append(event: AppendedEvent): Promise<void> {
    await appendEvent(this.prisma, event);
  }
}
