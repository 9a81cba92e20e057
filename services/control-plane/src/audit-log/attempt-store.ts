import { type AppendedEvent, appendEvent } from '../audit/append-event-store.ts';
import { PrismaStore } from '../database/prisma-store.ts';

export class AttemptStore extends PrismaStore {
  /** Appends an event that belongs to no change. */
  async append(event: AppendedEvent): Promise<void> {
    await appendEvent(this.prisma, event);
  }
}
